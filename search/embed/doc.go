// Package embed turns texts into vectors whose closeness tells how alike the
// texts are in meaning, and keeps such vectors.
//
// An [Embedder] makes vectors. Package words has one that is built in and
// needs nothing; package openai has one that asks an endpoint. A [Matrix]
// holds vectors in 8-bit numbers and compares all of them with one in a
// millisecond or a few. A [Fill] brings a matrix up to date, batch by batch,
// through a [Cache] by content, so that it can be stopped and goes on where it
// was:
//
//	fill := embed.NewFill(embedder, cache, 0)
//	for {
//		p, err := fill.Step(ctx, source)
//		if err != nil || p.Missing == 0 {
//			return err
//		}
//	}
//
// A [Models] says which vectors answer while others are being made: the old
// ones serve until the new ones are complete.
package embed
