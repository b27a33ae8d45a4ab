package compendium

import "bytes"

// relax writes an object as models and people jot it down as JSON: names
// without quotes, single quotes, a comma behind the last element. What is cut
// off stays cut off: it is no JSON then either.
func relax(src []byte) []byte {
	var out bytes.Buffer
	out.Grow(len(src) + 64)
	for i := 0; i < len(src); {
		c := src[i]
		switch {
		case c == '"' || c == '\'':
			i = copyString(&out, src, i)
		case c == ',':
			j := skipSpace(src, i+1)
			if j < len(src) && (src[j] == '}' || src[j] == ']') {
				i = j
				continue
			}
			out.WriteByte(c)
			i++
		case isNameByte(c) && !(c >= '0' && c <= '9') && c != '-':
			j := i
			for j < len(src) && isNameByte(src[j]) {
				j++
			}
			word := src[i:j]
			if k := skipSpace(src, j); k < len(src) && src[k] == ':' {
				out.WriteByte('"')
				out.Write(word)
				out.WriteByte('"')
			} else {
				out.Write(word)
			}
			i = j
		default:
			out.WriteByte(c)
			i++
		}
	}
	return out.Bytes()
}

func isNameByte(c byte) bool {
	return c == '_' || c == '-' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= 0x80
}

func skipSpace(src []byte, i int) int {
	for i < len(src) && (src[i] == ' ' || src[i] == '\n' || src[i] == '\t' || src[i] == '\r') {
		i++
	}
	return i
}

// copyString writes the string that begins at i in double quotes and returns
// where it ends.
func copyString(out *bytes.Buffer, src []byte, i int) int {
	quote := src[i]
	out.WriteByte('"')
	for i++; i < len(src); i++ {
		switch c := src[i]; {
		case c == '\\' && i+1 < len(src):
			if src[i+1] == '\'' {
				out.WriteByte('\'')
			} else {
				out.WriteByte(c)
				out.WriteByte(src[i+1])
			}
			i++
		case c == quote:
			out.WriteByte('"')
			return i + 1
		case c == '"':
			out.WriteString(`\"`)
		default:
			out.WriteByte(c)
		}
	}
	return i
}
