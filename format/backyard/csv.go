package backyard

import (
	"bytes"
	"fmt"
	"strings"
)

// csvField is one field of a CSV file and where it stands.
type csvField struct {
	start, end int // bytes of the source, quotes included
	value      string
	line       int
}

// csvRow is one record; end is behind its line end.
type csvRow struct {
	start, end int
	fields     []csvField
}

// parseCSV splits a CSV file (RFC 4180: fields in double quotes may hold
// commas, line ends and doubled quotes). It is tolerant: a quote inside an
// unquoted field is text, and a field whose quote never closes runs to the end
// of the file and is reported. Blank lines are no records.
func parseCSV(src []byte) (rows []csvRow, problems []string) {
	pos, line := 0, 1
	if bytes.HasPrefix(src, []byte("\xef\xbb\xbf")) {
		pos = 3
	}
	for pos < len(src) {
		row := csvRow{start: pos}
		for {
			f := csvField{start: pos, line: line}
			if pos < len(src) && src[pos] == '"' {
				var b strings.Builder
				pos++
				closed := false
				for pos < len(src) {
					c := src[pos]
					if c == '"' {
						if pos+1 < len(src) && src[pos+1] == '"' {
							b.WriteByte('"')
							pos += 2
							continue
						}
						pos++
						closed = true
						break
					}
					if c == '\n' {
						line++
					}
					b.WriteByte(c)
					pos++
				}
				if !closed {
					problems = append(problems, fmt.Sprintf("line %d: a quoted field has no end; it was read to the end of the file", f.line))
				}
				for pos < len(src) && src[pos] != ',' && src[pos] != '\n' && src[pos] != '\r' {
					b.WriteByte(src[pos])
					pos++
				}
				f.value = b.String()
			} else {
				for pos < len(src) && src[pos] != ',' && src[pos] != '\n' && src[pos] != '\r' {
					pos++
				}
				f.value = string(src[f.start:pos])
			}
			f.end = pos
			row.fields = append(row.fields, f)
			if pos < len(src) && src[pos] == ',' {
				pos++
				continue
			}
			break
		}
		for pos < len(src) && src[pos] == '\r' {
			pos++
		}
		if pos < len(src) && src[pos] == '\n' {
			pos++
			line++
		}
		row.end = pos
		if len(row.fields) == 1 && row.fields[0].start == row.fields[0].end {
			continue
		}
		rows = append(rows, row)
	}
	return rows, problems
}

// csvText writes a field: in quotes if it was in quotes before, or if it has to be.
func csvText(value string, quoted bool) string {
	if !quoted && value == strings.TrimSpace(value) && !strings.ContainsAny(value, ",\"\r\n") {
		return value
	}
	return `"` + strings.ReplaceAll(value, `"`, `""`) + `"`
}
