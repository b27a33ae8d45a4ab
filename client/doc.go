// Package client speaks to a Weft server over its native API.
//
//	weft := client.New("http://127.0.0.1:8720", client.Options{})
//	w := weft.World("skerrow")
//	c, err := w.CreateConversation(ctx, api.NewConversation{External: "channel/7", IfNew: true})
//	…
//	turn, err := w.BeginTurn(ctx, c.ID, api.NewTurn{Messages: []api.Message{{Content: "I ride to the mill."}}})
//	…
//	// Send turn.Prompt to a model, and what it writes back to the server.
//	reply, err := w.FinishTurn(ctx, turn.ID, api.Reply{Content: text})
//
// A [Client] is a server, a [World] one of its worlds; what they exchange is in
// package client/api. [World.Events] follows what changes, through lost
// connections too.
//
// # Errors
//
// What the server refuses is an *api.Problem, whose Kind says what can be done:
//
//	var p *api.Problem
//	if errors.As(err, &p) && p.Kind == api.Conflict {
//		// somebody else was quicker: read it again
//	}
//
// # Repeated requests
//
// Each request that writes carries an idempotency key. Where the connection
// breaks, or the server is busy, it is sent again, so it happens once however
// often it was sent. [IfMatch] and [WithKey] change a single request.
package client
