package llm

import "crypto/rand"

// randomID returns nine letters and digits.
func randomID() string {
	const alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	var b [9]byte
	_, _ = rand.Read(b[:]) // never fails
	for i, x := range b {
		b[i] = alphabet[int(x)%len(alphabet)]
	}
	return string(b[:])
}
