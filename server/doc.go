// Package server is Weft's native API: HTTP and JSON under /api/v1, described
// by an OpenAPI 3.1 document at /openapi.json.
//
//	weft, err := world.Open(db, world.Options{})
//	…
//	api := server.New(weft, server.Options{})
//	web := &http.Server{Handler: api}
//	web.RegisterOnShutdown(api.EndStreams)
//
// A handler of the package does three things: it reads a request into the
// arguments of one method of [world.Service], calls it, and writes what it
// returned in the types of package client/api. What a world is and does is none
// of its business.
//
// # Requests
//
// Errors are problem details as RFC 9457 has them; their kind is the domain's,
// and one table gives each kind its status. Unknown fields are refused. A GET of
// something that can be edited gives an ETag; sent back as If-Match, an edit
// fails with 412 if somebody else was quicker. A request that writes may carry
// an Idempotency-Key: sent again, also after a lost answer, it gives the first
// answer and does nothing. Two things are not kept for that: the key of a token,
// which is told once, and a sign-in, which takes no key. Lists take limit and
// cursor; a path of messages comes from its end, with the cursor of what is
// earlier.
//
// # Events
//
// What changes in a world is told by server-sent events, see
// [Server.EndStreams] for their end. Their ids follow the order of commits:
// a reader that comes back with Last-Event-ID misses none, on whichever of
// several servers; where the events in between are kept no longer, it gets one
// of the kind "gap". A browser, whose EventSource sends no headers, gets a ticket
// by a POST first: it is signed, opens one stream of one world for a minute as
// the parameter ticket, and is good for nothing else.
//
// # Who may call
//
// Without [Options.Auth] everybody who reaches the server may do everything: it
// is for loopback. The names in the Host header and the pages in the Origin
// header are checked, so that no page in a browser is among them. With Auth a
// bearer token is needed, a user sees their own worlds only, and quotas count.
// Wrong passwords are bounded by address (a network, of IPv6; behind a proxy on
// this machine what it says in X-Forwarded-For) and by name; the answer is 429.
package server
