package client

import (
	"context"
	"io"
)

// Backup writes everything in the database of the server, as it is at one
// moment, for store.Restore or weft restore; for admins. The text ends with a
// checksum: after an error it is no backup.
func (c *Client) Backup(ctx context.Context, w io.Writer) error {
	resp, err := c.request(ctx, call{method: "GET", path: prefix + "/backup"}, nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(w, resp.Body)
	return err
}
