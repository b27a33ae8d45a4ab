package server

import (
	"context"
	"net/http"
	"strings"
)

type routeKey struct{}

// withRoute returns a request whose route is written to a place when it is
// known: the mux writes it to the copy of the request that it gets.
func withRoute(r *http.Request, route *string) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), routeKey{}, route))
}

// noteRoute writes the route of a request down.
func noteRoute(r *http.Request, pattern string) {
	route, ok := r.Context().Value(routeKey{}).(*string)
	if !ok || pattern == "/" || pattern == "" {
		return
	}
	_, path, found := strings.Cut(pattern, " ")
	if !found {
		path = pattern
	}
	*route = path
}
