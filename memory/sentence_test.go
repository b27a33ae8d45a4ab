package memory

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSentences(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		want []string
	}{
		{"plain", []string{"The mill burned. ", "No one was hurt! ", "Who did it?"}},
		{"empty", nil},
		{"space only", []string{" \n "}},
		{"leading space", []string{"  A mill. ", "A weir. "}},
		{"lines", []string{"Age: 30\n", "Hair: red\n\n", "Lives alone"}},
		{"crlf", []string{"One line\r\n", "another\r\n"}},
		{"titles", []string{"Dr. Hale met Mrs. Orr at St. Bride. ", "They spoke."}},
		{"initials", []string{"J. R. Marsh signed. ", "It was I. ", "Done."}},
		{"dotted", []string{"He went to the U.S. Navy yard, i.e. Boston, e.g. by sea. ", "Then home."}},
		{"number", []string{"See no. 7 and vol. 2. ", "He said no. ", "She left at 3.15 sharp."}},
		{"list", []string{"1. Take salt.\n", "2. Take ash."}},
		{"quotes", []string{"“Go!” he said. ", "\"Stay.\" ", "\"Why?\" asked Tam."}},
		{"ellipsis", []string{"Wait... what? ", "He left... ", "She stayed… ", "And so on."}},
		{"marks", []string{"What?! ", "*Nothing.* ", "(She lied.) ", "Really."}},
		{"chinese", []string{"他走了。", "“你好！”", "她笑了……然后沉默。", "真的吗？"}},
		{"japanese", []string{"「行くよ。」と彼は言った。", "雨だ。", "『なぜ？』\n", "終わり"}},
		{"hindi", []string{"वह चला गया। ", "कौन था?"}},
		{"arabic", []string{"من أنت؟ ", "لا أعرف."}},
		{"urdu", []string{"وہ گیا۔ ", "کون؟"}},
		{"russian", []string{"Он, т.е. Пётр, ушёл. ", "Зачем?"}},
		{"german", []string{"Er kam, z.B. Montag. ", "Nr. 5 fehlt."}},
		{"thai", []string{"ฉันรักคุณ เธอไป"}},
		{"template", []string{"{{char:name}} has {{state:hp}} hp. ", "Then [[oath]]"}},
		{"words", []string{"weft.example is up, v1.2.3 too"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if d := cmp.Diff(tt.want, Sentences(strings.Join(tt.want, ""))); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}

func FuzzSentences(f *testing.F) {
	for _, s := range []string{"", "A. B.", " \n。」と", "e.g. x", "\xff. \xfe", "1. a\r\n…"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got := strings.Join(Sentences(text), ""); got != text {
			t.Fatalf("joined: %q, want %q", got, text)
		}
		if got := strings.Join(tokens(text), ""); got != text {
			t.Fatalf("tokens joined: %q, want %q", got, text)
		}
		for i, s := range tokens(text) {
			if s == "" || i > 0 && isGap(s) && isGap(tokens(text)[i-1]) {
				t.Fatalf("token %d of %q is %q", i, text, s)
			}
		}
	})
}
