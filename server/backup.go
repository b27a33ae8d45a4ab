package server

import (
	"context"
	"mime"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
)

// registerBackup gives admins everything in the database, while it is in use.
func (s *Server) registerBackup() {
	op := s.op(route{method: "GET", path: prefix + "/backup", id: "get-backup", summary: "Everything in the database at one moment, for weft restore; for admins", tag: "server"})
	op.Responses = map[string]*huma.Response{"200": {
		Description: "A backup. It ends with a checksum: an answer that breaks off is no backup.",
		Content:     map[string]*huma.MediaType{"application/gzip": {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}},
	}}
	huma.Register(s.api, op, func(ctx context.Context, _ *struct{}) (*huma.StreamResponse, error) {
		if err := admin(ctx); err != nil {
			return nil, s.fail(ctx, err)
		}
		return &huma.StreamResponse{Body: func(hctx huma.Context) {
			r, w := humago.Unwrap(hctx)
			w.Header().Set("Content-Type", "application/gzip")
			w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": "weft.backup"}))
			_ = http.NewResponseController(w).SetWriteDeadline(time.Time{})
			if err := s.worlds.DB().Backup(r.Context(), w); err != nil {
				s.opts.Log.Error("a backup could not be finished", "error", err)
				panic(http.ErrAbortHandler) // so that the reader sees that it is not whole
			}
		}}, nil
	})
}
