package store

import (
	"context"
	"io"
)

// BackupInfo says what a backup is.
type BackupInfo struct {
	// Time is when it was made.
	Time int64
	// Rows is how many rows its tables have.
	Rows int64
}

// VerifyBackup reads a backup to its end and restores nothing. A damaged or cut
// one is Corrupt, one of a newer version TooNew, and one with tables of a
// component that opts does not name Invalid.
func VerifyBackup(ctx context.Context, r io.Reader, opts Options) (BackupInfo, error) {
	b, head, err := newBackupReader(r)
	if err != nil {
		return BackupInfo{}, err
	}
	if err := (&DB{opts: opts}).checkSchemas(head); err != nil {
		return BackupInfo{}, err
	}
	for {
		if ctx.Err() != nil {
			return BackupInfo{}, ctx.Err()
		}
		switch _, err := b.line(); err {
		case nil:
		case io.EOF:
			return BackupInfo{head.Time, b.rows}, nil
		default:
			return BackupInfo{}, err
		}
	}
}
