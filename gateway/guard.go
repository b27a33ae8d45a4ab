package gateway

import (
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Guard keeps pages of other sites away from a server on loopback, which a
// browser would otherwise let them reach: it checks the Host header, against
// names that were rebound to this machine, and the Origin header.
type Guard struct {
	// Next handles what passes.
	Next http.Handler
	// Hosts are allowed beside loopback names and addresses: names without
	// ports.
	Hosts []string
	// Origins are pages that may call the server, such as
	// https://agnai.example; "*" allows all.
	Origins []string
}

// ServeHTTP checks a request and answers preflights of allowed pages.
func (g *Guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !g.hostAllowed(r.Host) {
		writeError(w, http.StatusForbidden, "forbidden",
			"the host "+clip(r.Host)+" is not known here; if it is yours, start with --allow-host "+clip(hostName(r.Host)))
		return
	}
	origin := r.Header.Get("Origin")
	if origin != "" && !sameOrigin(origin, r.Host) {
		if !slices.Contains(g.Origins, origin) && !slices.Contains(g.Origins, "*") {
			writeError(w, http.StatusForbidden, "forbidden",
				"pages of "+clip(origin)+" may not call this server; if it is your front end, start with --allow-origin "+clip(origin))
			return
		}
		h := w.Header()
		h.Set("Access-Control-Allow-Origin", origin)
		h.Add("Vary", "Origin")
		if r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" {
			h.Set("Access-Control-Allow-Methods", "GET, POST, OPTIONS")
			if names := r.Header.Get("Access-Control-Request-Headers"); names != "" {
				h.Set("Access-Control-Allow-Headers", names)
			}
			h.Set("Access-Control-Max-Age", "600")
			w.WriteHeader(http.StatusNoContent)
			return
		}
	}
	g.Next.ServeHTTP(w, r)
}

func (g *Guard) hostAllowed(host string) bool {
	name := hostName(host)
	if strings.EqualFold(name, "localhost") || slices.ContainsFunc(g.Hosts, func(h string) bool { return strings.EqualFold(h, name) }) {
		return true
	}
	ip := net.ParseIP(name)
	return ip != nil && ip.IsLoopback()
}

// hostName is a host without its port and brackets.
func hostName(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return strings.Trim(host, "[]")
}

func sameOrigin(origin, host string) bool {
	u, err := url.Parse(origin)
	return err == nil && strings.EqualFold(u.Host, host)
}

// clip bounds what is repeated of a request.
func clip(s string) string {
	if len(s) > 120 {
		return s[:120] + "…"
	}
	return s
}
