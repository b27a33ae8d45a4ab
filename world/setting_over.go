package world

// Over returns the settings of a conversation laid over those of its world.
func (s Settings) Over(w Settings) Settings { return s.over(w) }
