package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// need is a program that some stages use, and where it comes from. A further
// one is a line in the list below and its name in the stage.
type need struct {
	name     string   // for people
	commands []string // any of them will do; a pattern of files, if it has a *
	packages []string // of Debian and its kin
	why      string
}

var (
	compiler = need{"a C compiler", []string{"gcc", "clang"}, []string{"gcc", "libc6-dev"}, "the race detector links C"}
	git      = need{"git", []string{"git"}, []string{"git", "ca-certificates"}, "generated files are compared with what is committed"}
	node     = need{"Node", []string{"node", "nodejs"}, []string{"nodejs"}, "clients of front ends are programs for it"}
	postgres = need{"PostgreSQL", []string{"/usr/lib/postgresql/*/bin/postgres", "postgres"}, []string{"postgresql"}, "the store runs on it too; the tests start a server of their own, as its own user"}
	systemd  = need{"systemd-analyze", []string{"systemd-analyze"}, []string{"systemd"}, "the unit of the service is checked by it"}
	curl     = need{"curl", []string{"curl"}, []string{"curl"}, "pages speak to a server with it"}
	jq       = need{"jq", []string{"jq"}, []string{"jq"}, "pages show answers of a server with it"}
	npm      = need{"npm", []string{"npm"}, []string{"npm"}, "it installs the clients"}
)

func (n need) present() bool {
	for _, c := range n.commands {
		if strings.Contains(c, "*") {
			if found, err := filepath.Glob(c); err == nil && len(found) > 0 {
				return true
			}
			continue
		}
		if _, err := exec.LookPath(c); err == nil {
			return true
		}
	}
	return false
}

func (n need) advice() string {
	return fmt.Sprintf("%s; install %s", n.why, strings.Join(n.packages, " "))
}

// provide finds out which needs are met, after installing what it can.
func (r *runner) provide(ctx context.Context, all []stage) map[string]bool {
	have := map[string]bool{}
	var packages []string
	for _, s := range all {
		for _, n := range s.needs {
			if _, asked := have[n.name]; asked {
				continue
			}
			have[n.name] = n.present()
			if !have[n.name] {
				packages = append(packages, n.packages...)
			}
		}
	}
	if len(packages) == 0 || r.core || !mayInstall() {
		return have
	}
	fmt.Fprintf(r.out, "=== install: apt-get install %s\n", strings.Join(packages, " "))
	start := time.Now()
	if output, err := install(ctx, packages); err != nil {
		fmt.Fprintf(r.out, "%s    %v\n", indent(output), err)
	}
	for _, s := range all {
		for _, n := range s.needs {
			have[n.name] = n.present()
		}
	}
	fmt.Fprintf(r.out, "--- install: %s\n", seconds(time.Since(start)))
	return have
}

func mayInstall() bool {
	_, err := exec.LookPath("apt-get")
	return err == nil && os.Geteuid() == 0
}

func install(ctx context.Context, packages []string) (string, error) {
	var output strings.Builder
	for _, args := range [][]string{
		{"update", "-q"},
		append([]string{"install", "-q", "-y", "--no-install-recommends"}, packages...),
	} {
		cmd := exec.CommandContext(ctx, "apt-get", args...)
		cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
		cmd.Stdout, cmd.Stderr = &output, &output
		if err := cmd.Run(); err != nil {
			return output.String(), fmt.Errorf("apt-get %s: %w", args[0], err)
		}
	}
	return output.String(), nil
}
