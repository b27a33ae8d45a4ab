package compendium

type (
	Renderer struct{}
	Size     int
)

const (
	OneLine Size = iota
	Brief
	Full
)

func (r *Renderer) Render(e *Entry, s Size) string { return "" }
