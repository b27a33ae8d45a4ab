package engine

import "github.com/weft-memory/weft/weaver"

// RegistryView is a registry for looking only.
type RegistryView struct{ r *weaver.Registry }

// Command returns the signature of a command.
func (v RegistryView) Command(name string) (weaver.Signature, bool) { return v.r.Command(name) }

// Processor returns the signature of a processor.
func (v RegistryView) Processor(name string) (weaver.Signature, bool) { return v.r.Processor(name) }

// Signatures lists everything that templates may call, sorted.
func (v RegistryView) Signatures() []weaver.Signature { return v.r.Signatures() }
