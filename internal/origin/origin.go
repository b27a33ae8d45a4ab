// Package origin answers the two questions by which a server on loopback keeps
// the pages of other sites away: was it called by a name of its own, and does
// the page that calls come from it.
package origin

import (
	"net"
	"net/url"
	"slices"
	"strings"
)

// HostName is a Host header without its port and brackets.
func HostName(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return strings.Trim(host, "[]")
}

// Allowed reports whether a Host header names this machine's loopback or one
// of the names allowed beside it.
func Allowed(host string, names []string) bool {
	name := HostName(host)
	if strings.EqualFold(name, "localhost") || slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) }) {
		return true
	}
	ip := net.ParseIP(name)
	return ip != nil && ip.IsLoopback()
}

// Same reports whether an Origin header is that of the host itself.
func Same(origin, host string) bool {
	u, err := url.Parse(origin)
	return err == nil && u.Host != "" && strings.EqualFold(u.Host, host)
}
