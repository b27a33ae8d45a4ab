package gateway

import (
	"net/http"
	"slices"

	"github.com/weft-memory/weft/internal/origin"
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
	if !origin.Allowed(r.Host, g.Hosts) {
		writeError(w, http.StatusForbidden, "forbidden",
			"the host "+clip(r.Host)+" is not known here; if it is yours, start with --allow-host "+clip(origin.HostName(r.Host)))
		return
	}
	from := r.Header.Get("Origin")
	if from != "" && !origin.Same(from, r.Host) {
		if !slices.Contains(g.Origins, from) && !slices.Contains(g.Origins, "*") {
			writeError(w, http.StatusForbidden, "forbidden",
				"pages of "+clip(from)+" may not call this server; if it is your front end, start with --allow-origin "+clip(from))
			return
		}
		h := w.Header()
		h.Set("Access-Control-Allow-Origin", from)
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

// clip bounds what is repeated of a request.
func clip(s string) string {
	if len(s) > 120 {
		return s[:120] + "…"
	}
	return s
}
