package search

// A posting says how often a term stands in each field of a document: 8 bits
// for the text and 6 for each other field, saturated.
type posting struct {
	slot uint32
	tf   uint32
}

var (
	tfShift = [fields]uint8{fieldText: 0, fieldName: 8, fieldAlias: 14, fieldKey: 20, fieldExtra: 26}
	tfMask  = [fields]uint32{fieldText: 0xff, fieldName: 0x3f, fieldAlias: 0x3f, fieldKey: 0x3f, fieldExtra: 0x3f}
)

// count returns how often the term stands in the field.
func (p posting) count(f field) uint32 { return p.tf >> tfShift[f] & tfMask[f] }

// raise adds one to the field's number of a packed tf.
func raise(tf uint32, f field) uint32 {
	if tf>>tfShift[f]&tfMask[f] == tfMask[f] {
		return tf
	}
	return tf + 1<<tfShift[f]
}

// weighted returns the sum of the fields' numbers by their weights; the text's
// also by norm, which is less the longer the text is.
func (p posting) weighted(w *[fields]float32, norm float32) float32 {
	sum := w[fieldText] * float32(p.tf&0xff) * norm
	if rest := p.tf >> 8; rest != 0 {
		for f := fieldName; f < fields; f++ {
			sum += w[f] * float32(p.count(f))
		}
	}
	return sum
}
