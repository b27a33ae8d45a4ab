package server

import (
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/weft-memory/weft/client/api"
)

// guard keeps the pages of other sites away: it checks the Host header against
// names that were rebound to this machine, and where a browser says that the
// request comes from.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.hostAllowed(r.Host) {
			writeProblem(w, problem(http.StatusForbidden, api.Forbidden,
				"the host "+clip(r.Host)+" is not known here; if it is yours, start with --allow-host "+clip(hostName(r.Host))))
			return
		}
		origin := r.Header.Get("Origin")
		switch {
		case origin == "":
			if r.Header.Get("Sec-Fetch-Site") == "cross-site" && r.Method != http.MethodGet && r.Method != http.MethodHead {
				writeProblem(w, problem(http.StatusForbidden, api.Forbidden, "pages of other sites may not call this server; start with --allow-origin to allow one"))
				return
			}
		case sameOrigin(origin, r.Host):
		case slices.Contains(s.opts.Origins, origin), slices.Contains(s.opts.Origins, "*"):
			h := w.Header()
			h.Set("Access-Control-Allow-Origin", origin)
			h.Set("Access-Control-Expose-Headers", "ETag, Location, Retry-After")
			h.Add("Vary", "Origin")
			if r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" {
				h.Set("Access-Control-Allow-Methods", "GET, POST, PUT, PATCH, DELETE")
				if names := r.Header.Get("Access-Control-Request-Headers"); names != "" {
					h.Set("Access-Control-Allow-Headers", names)
				}
				h.Set("Access-Control-Max-Age", "600")
				w.WriteHeader(http.StatusNoContent)
				return
			}
		default:
			writeProblem(w, problem(http.StatusForbidden, api.Forbidden,
				"pages of "+clip(origin)+" may not call this server; if it is your front end, start with --allow-origin "+clip(origin)))
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (s *Server) hostAllowed(host string) bool {
	name := hostName(host)
	if s.opts.Auth && len(s.opts.Hosts) == 0 || strings.EqualFold(name, "localhost") {
		return true
	}
	if slices.ContainsFunc(s.opts.Hosts, func(h string) bool { return strings.EqualFold(h, name) }) {
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
	return err == nil && u.Host != "" && strings.EqualFold(u.Host, host)
}
