package server

import (
	"net/http"
	"slices"

	"github.com/weft-memory/weft/client/api"
	"github.com/weft-memory/weft/internal/origin"
)

// guard keeps the pages of other sites away: it checks the Host header against
// names that were rebound to this machine, and where a browser says that the
// request comes from.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.hostAllowed(r.Host) {
			writeProblem(w, problem(http.StatusForbidden, api.Forbidden,
				"the host "+clip(r.Host)+" is not known here; if it is yours, start with --allow-host "+clip(origin.HostName(r.Host))))
			return
		}
		from := r.Header.Get("Origin")
		switch {
		case from == "":
			if r.Header.Get("Sec-Fetch-Site") == "cross-site" && r.Method != http.MethodGet && r.Method != http.MethodHead {
				writeProblem(w, problem(http.StatusForbidden, api.Forbidden, "pages of other sites may not call this server; start with --allow-origin to allow one"))
				return
			}
		case origin.Same(from, r.Host):
		case slices.Contains(s.opts.Origins, from), slices.Contains(s.opts.Origins, "*"):
			h := w.Header()
			h.Set("Access-Control-Allow-Origin", from)
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
				"pages of "+clip(from)+" may not call this server; if it is your front end, start with --allow-origin "+clip(from)))
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (s *Server) hostAllowed(host string) bool {
	return s.opts.Auth && len(s.opts.Hosts) == 0 || origin.Allowed(host, s.opts.Hosts)
}
