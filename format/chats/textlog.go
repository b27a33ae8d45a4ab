package chats

import (
	"bytes"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A segment is one message of a text log and where it stands: the bytes
// [start, end) are the message with everything up to the next one, [text,
// textEnd) its words.
type segment struct {
	start, end    int
	text, textEnd int
	author, time  string
}

// lines calls yield with the bounds of each line; end excludes the line end,
// next is where the following line begins.
func lines(src []byte, from int, yield func(start, end, next int)) {
	for pos := from; pos < len(src); {
		end, next := len(src), len(src)
		if i := bytes.IndexByte(src[pos:], '\n'); i >= 0 {
			end, next = pos+i, pos+i+1
			if end > pos && src[end-1] == '\r' {
				end--
			}
		}
		yield(pos, end, next)
		pos = next
	}
}

func afterBOM(src []byte) int {
	if bytes.HasPrefix(src, []byte("\xef\xbb\xbf")) {
		return 3
	}
	return 0
}

// closeSegments sets the ends of the segments and takes trailing blank lines
// out of their texts.
func closeSegments(src []byte, segs []segment, end int) {
	for i := range segs {
		segs[i].end = end
		if i+1 < len(segs) {
			segs[i].end = segs[i+1].start
		}
		if segs[i].textEnd == 0 {
			segs[i].textEnd = segs[i].end
		}
		for segs[i].textEnd > segs[i].text && (src[segs[i].textEnd-1] == '\n' || src[segs[i].textEnd-1] == '\r') {
			segs[i].textEnd--
		}
	}
}

// logName returns the name at the head of a line of the form "Name: text", and
// where the text begins. A name begins with a letter, has at most 48
// characters and five words, and is not the scheme of an address.
func logName(line []byte) (name string, text int) {
	i := bytes.IndexByte(line, ':')
	if i <= 0 || i > 192 {
		return "", 0
	}
	n := string(line[:i])
	first, _ := utf8.DecodeRuneInString(n)
	if !unicode.IsLetter(first) && first != '{' || strings.TrimSpace(n) != n ||
		utf8.RuneCountInString(n) > 48 || len(strings.Fields(n)) > 5 || strings.ContainsAny(n, "\"“”!?*\t") {
		return "", 0
	}
	if bytes.HasPrefix(line[i:], []byte("://")) {
		return "", 0
	}
	text = i + 1
	if text < len(line) && line[text] == ' ' {
		text++
	} else if text < len(line) {
		return "", 0 // "12:30", "a:b": no space behind the colon
	}
	return n, text
}

// userNames are the spellings of the user's name that need no proof.
var userNames = map[string]bool{"User": true, "You": true, "{{user}}": true, "user": true}

// parseLog splits a plain text log. A line "Name: text" begins a message if
// the name is known: it was given, is a common name of the user, heads the
// first line, or heads at least two lines. Every other line continues the
// message before it. Text before the first message is returned as head.
func parseLog(src []byte, known []string) (segs []segment, head int) {
	count := map[string]int{}
	for _, n := range known {
		count[n] = 2
	}
	first := true
	lines(src, afterBOM(src), func(start, end, _ int) {
		if start == end {
			return
		}
		if n, _ := logName(src[start:end]); n != "" {
			count[n]++
			if first {
				count[n]++
			}
		}
		first = false
	})
	head = len(src)
	lines(src, afterBOM(src), func(start, end, _ int) {
		n, text := logName(src[start:end])
		if n == "" || count[n] < 2 && !userNames[n] {
			return
		}
		if len(segs) == 0 {
			head = start
		}
		segs = append(segs, segment{start: start, text: start + text, author: n})
	})
	closeSegments(src, segs, len(src))
	return segs, head
}

// parseRisuText splits a RisuAI text export: "--Name" on a line of its own,
// the text, a blank line.
func parseRisuText(src []byte) (segs []segment, head int) {
	head = len(src)
	blank := true
	lines(src, afterBOM(src), func(start, end, next int) {
		line := src[start:end]
		if blank && len(line) > 2 && bytes.HasPrefix(line, []byte("--")) && line[2] != '-' && line[2] != ' ' {
			if len(segs) == 0 {
				head = start
			}
			segs = append(segs, segment{start: start, text: next, author: string(line[2:])})
		}
		blank = len(bytes.TrimSpace(line)) == 0
	})
	closeSegments(src, segs, len(src))
	return segs, head
}

var backyardHead = regexp.MustCompile(`^\[([^\]\n]{4,40}|)\] ([^:\n]{1,80}): ?`)

// parseBackyardLog splits a Backyard text log: "[date] Name: text" and a line
// of three hyphens behind each message.
func parseBackyardLog(src []byte) (segs []segment, head int) {
	head = len(src)
	fresh := true
	lines(src, afterBOM(src), func(start, end, _ int) {
		line := src[start:end]
		if string(line) == "---" {
			if n := len(segs); n > 0 && segs[n-1].textEnd == 0 {
				segs[n-1].textEnd = max(start, segs[n-1].text)
			}
			fresh = true
			return
		}
		m := backyardHead.FindSubmatchIndex(line)
		if m != nil && fresh {
			if len(segs) == 0 {
				head = start
			}
			segs = append(segs, segment{
				start: start, text: start + m[1],
				time: string(line[m[2]:m[3]]), author: string(line[m[4]:m[5]]),
			})
			fresh = false
		}
	})
	closeSegments(src, segs, len(src))
	return segs, head
}
