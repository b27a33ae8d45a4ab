package memory

import (
	"fmt"
	"strings"
	"testing"
)

func story(t *testing.T) *scene {
	s := newScene(t)
	s.say("n1", "n2", "n3")
	s.create("n1", "tom", "Tom is a guard.")
	s.append("n2", "alys", "She met Tom.")
	s.field("n2", "tom", "status", ``, `"wounded"`)
	s.append("n3", "tom", "He sings.")
	s.append("n3", "tom", "He sings.")
	s.edit("o4", "tom", "Tom is a guard. He sings.", "Tom is a sergeant. He sings.")
	s.create("n3", "tommy", "He has a dog.")
	s.op("n3", Operation{Kind: KindMerge, Entry: "tom", Change: Change{From: []Ref{{Entry: "tommy"}}}})
	return s
}

func TestProvenance(t *testing.T) {
	t.Parallel()
	s := story(t)
	var got []string
	for _, id := range []Ref{{StoryBook, "tommy"}, {"vale", "alys"}, {"vale", "mill"}} {
		for _, p := range s.view().Provenance(id.Book, id.Entry) {
			got = append(got, fmt.Sprintf("%s %s %s %s", p.Field, p.Text, p.Operation, p.Node))
		}
	}
	want := `status  o3 n2
content Tom is a sergeant. o6 
content He sings. o4 n3
content He has a dog. o8 n3
name   
folder   
keys   
content Alys rules the vale.  
content She is just.  
content She is thirty.  
content She met Tom. o2 n2
name   
keys   
content The mill stands by the weir.  `
	if g := strings.Join(got, "\n"); g != want {
		t.Errorf("got\n%s\nwant\n%s", g, want)
	}
}

func TestHistory(t *testing.T) {
	t.Parallel()
	s := story(t)
	var got []string
	for _, e := range s.view().History(StoryBook, "tom") {
		before, after := "–", "–"
		if e.Before != nil {
			before = e.Before.Content
		}
		if e.After != nil {
			after = e.After.Content
		}
		got = append(got, fmt.Sprintf("%s %s %v: %s → %s", e.Operation.ID, e.Operation.Kind, e.Changed, before, after))
	}
	want := `o1 create true: – → Tom is a guard.
o3 patch true: Tom is a guard. → Tom is a guard.
o4 patch true: Tom is a guard. → Tom is a guard. He sings.
o6 patch true: Tom is a guard. He sings. → Tom is a sergeant. He sings.
o8 merge true: Tom is a sergeant. He sings. → Tom is a sergeant. He sings. He has a dog.`
	if g := strings.Join(got, "\n"); g != want {
		t.Errorf("got\n%s\nwant\n%s", g, want)
	}
}

func TestAsOfAndDiffViews(t *testing.T) {
	t.Parallel()
	s := story(t)
	v := s.view()
	old := v.AsOf(2)
	wantText(t, old, StoryBook, "tom", "Tom is a guard.")
	if v.AsOf(99) != v {
		t.Error("as of later than the last is another view")
	}
	var got []string
	for _, d := range DiffViews(old, v) {
		got = append(got, fmt.Sprintf("%v %v %v %s", d.Ref, d.Before != nil, d.After != nil, encodeJSON(d.Change)))
	}
	want := `~story/tom true true {"fields":{"status":{"new":"wounded"}},"content":[{"old":"Tom is a guard.","new":"Tom is a sergeant. He sings. He has a dog."}]}`
	if g := strings.Join(got, "\n"); g != want {
		t.Errorf("got\n%s\nwant\n%s", g, want)
	}
	got = nil
	for _, d := range DiffViews(v, s.viewAt(Path{Conversation: "c"})) {
		got = append(got, fmt.Sprintf("%v %v %v", d.Ref, d.Before != nil, d.After != nil))
	}
	if g := strings.Join(got, "\n"); g != "vale/alys true true\n~story/tom true false" {
		t.Errorf("got\n%s", g)
	}
	if d := DiffViews(v, s.view()); len(d) != 0 {
		t.Errorf("equal views differ: %+v", d)
	}
}
