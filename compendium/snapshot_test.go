package compendium

import (
	"encoding/json"
	"testing"
)

func TestSnapshotGolden(t *testing.T) {
	t.Parallel()
	w := saltmere(t)
	for name, o := range map[string]SnapshotOptions{
		"director": {Scene: "quay", Situation: "the wardens bar the stairs", Node: "m30", Op: "op9"},
		"guessed":  {},
		"de":       {Scene: "quay", Lang: LanguageFor("de")},
		"small":    {Scene: "quay", Budget: 160},
		"maud":     {Scene: "quay", Viewer: w.CharacterViewer("maud")},
	} {
		s := w.Snapshot(o)
		if s.Tokens > s.Budget || EstimateTokens(s.Text) != s.Tokens {
			t.Errorf("%s: %d tokens of %d", name, s.Tokens, s.Budget)
		}
		raw, err := json.MarshalIndent(s, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		golden(t, "snapshot_"+name+".golden", s.Text+"\n"+string(raw)+"\n")
	}
}
