package server
import "testing"
func TestProbe(t *testing.T){ h:=setup(t,Options{}); h.scene() }
