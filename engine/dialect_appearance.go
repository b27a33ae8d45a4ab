package engine

// newestKey returns the age (0 is the newest) of the newest message that holds
// a primary key of an active entry, as far as the entry looks back.
func (a *assembly) newestKey(x *activation) (age int, ok bool) {
	if x.keyAge != nil {
		return *x.keyAge, *x.keyAge < wholeChat
	}
	age = wholeChat
	s := a.searcher(x.view.policy().Join)
	w := s.window(x.use.depth, nil)
search:
	for i := range w.depth {
		u := &s.chat[s.index(i)]
		for k := range x.use.keys {
			if a.keyIn(x, &x.use.keys[k], u, s.index(i)) {
				age = i
				break search
			}
		}
	}
	x.keyAge = &age
	return age, age < wholeChat
}

func (a *assembly) keyIn(x *activation, k *key, u *unit, place int) bool {
	s := a.searcher(x.view.policy().Join)
	switch {
	case k.lit != nil:
		_, ok := k.lit.FindFolded(s.fold(k.lit.Fold(), u, place))
		return ok
	case k.re != nil:
		_, ok, err := k.re.Match(u.text, s.budget)
		return ok && err == nil
	}
	return false
}

// appearance is the age of the newest message with a key, in dialects that go
// by it; elsewhere every entry counts as newest.
func (a *assembly) appearance(x *activation) int {
	if !x.view.policy().OrderByAppearance {
		return 0
	}
	age, _ := a.newestKey(x)
	return age
}

// rankUnderBudget is the priority of an entry among those of all dialects: how
// far it stands from what its dialect gives an entry by itself.
func rankUnderBudget(p *placed) int {
	policy := p.view.policy()
	if policy.KeepNewest {
		return 0
	}
	return p.Priority - policy.BasePriority
}
