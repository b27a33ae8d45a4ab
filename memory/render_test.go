package memory

import (
	"strings"
	"testing"
)

func TestWhatIsLaidOverAnEntry(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.base[0].Entry("mill").Sizes.Brief = "A mill."
	s.say("n1")
	s.op("n1", Operation{Kind: KindPatch, Book: "vale", Entry: "mill", Change: Change{Fields: map[string]Field{
		"статус": {New: raw(`"сгорела"`)}, "last_seen": {New: raw(`["Tom","Bo"]`)}, "hp": {New: raw(`3.5`)},
		"gone": {New: raw(`null`)}, "owner": {New: raw(`{"name":"Bo","since":3}`)},
	}}})
	s.wantText("mill", "Hp: 3.5.\nLast seen: Tom, Bo.\nOwner: name Bo, since 3.\nСтатус: сгорела.\nThe mill stands by the weir.")
	if got := s.view().Entry("vale", "mill").Sizes.Brief; got != "Hp: 3.5. Last seen: Tom, Bo. Owner: name Bo, since 3. Статус: сгорела. A mill." {
		t.Errorf("brief: %q", got)
	}
	s.opts.Label = func(field, value string) string {
		if field == "статус" {
			return "Теперь " + value
		}
		return ""
	}
	if got := s.view().Entry("vale", "mill").Content; !strings.HasPrefix(got, "Теперь сгорела\nThe mill") {
		t.Errorf("with labels: %q", got)
	}
}
