package embed

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"
)

// Matrix holds vectors by row, each number in 8 bits, and compares them with a
// vector one by one: what it finds is what there is, up to rounding. The error
// of a cosine is below 0.01.
//
// A matrix is safe for readers while nobody changes it.
type Matrix struct {
	dims    int
	numbers []int8
	scales  []float32 // 0: no vector
	signs   []uint64  // by row, a bit for each number that is negative
	rows    int       // that have a vector
}

// NewMatrix returns an empty matrix for vectors of so many dimensions.
func NewMatrix(dims int) *Matrix { return &Matrix{dims: dims} }

// Dimensions returns the dimensions of the vectors.
func (m *Matrix) Dimensions() int { return m.dims }

// Rows returns how many rows have a vector.
func (m *Matrix) Rows() int { return m.rows }

// Size returns about how many bytes the matrix takes in memory.
func (m *Matrix) Size() int { return cap(m.numbers) + 4*cap(m.scales) + 8*cap(m.signs) }

// Set puts a vector of length 1 into a row.
func (m *Matrix) Set(row int, v Vector) error {
	if len(v) != m.dims {
		return fmt.Errorf("embed: a vector has %d numbers, want %d", len(v), m.dims)
	}
	if row < 0 {
		return fmt.Errorf("embed: row %d", row)
	}
	if n := row + 1 - len(m.scales); n > 0 {
		m.scales = append(m.scales, make([]float32, n)...)
		m.numbers = append(m.numbers, make([]int8, n*m.dims)...)
		m.signs = append(m.signs, make([]uint64, n*m.signWords())...)
	}
	if m.scales[row] == 0 {
		m.rows++
	}
	top := float32(0)
	for _, x := range v {
		top = max(top, float32(math.Abs(float64(x))))
	}
	if top == 0 || top != top {
		top = 1e-30 // has a vector, which is like nothing
	}
	m.scales[row] = top / 127
	at := m.numbers[row*m.dims : (row+1)*m.dims]
	for i, x := range v {
		at[i] = int8(math.Round(float64(x) / float64(top) * 127))
	}
	setSigns(m.signs[row*m.signWords():(row+1)*m.signWords()], v)
	return nil
}

// signWords is how many words the signs of a row take.
func (m *Matrix) signWords() int { return (m.dims + 63) / 64 }

func setSigns(set []uint64, v Vector) {
	clear(set)
	for i, x := range v {
		if x < 0 {
			set[i/64] |= 1 << (i % 64)
		}
	}
}

// Clear takes the vector out of a row.
func (m *Matrix) Clear(row int) {
	if m.Has(row) {
		m.scales[row] = 0
		m.rows--
	}
}

// Has reports whether a row has a vector.
func (m *Matrix) Has(row int) bool { return row >= 0 && row < len(m.scales) && m.scales[row] != 0 }

// Row returns the vector of a row; nil if it has none.
func (m *Matrix) Row(row int) Vector {
	if !m.Has(row) {
		return nil
	}
	v := make(Vector, m.dims)
	for i, x := range m.numbers[row*m.dims : (row+1)*m.dims] {
		v[i] = float32(x) * m.scales[row]
	}
	return v
}

// Probe is a vector made ready for comparing.
type Probe struct {
	numbers []int16
	signs   []uint64
	scale   float32
}

// probeTop is the greatest number of a probe: with it, 8,000 dimensions stay
// within 32 bits.
const probeTop = 2047

// NewProbe makes a vector ready for comparing.
func NewProbe(v Vector) Probe {
	top := float32(0)
	for _, x := range v {
		top = max(top, float32(math.Abs(float64(x))))
	}
	p := Probe{numbers: make([]int16, len(v)), signs: make([]uint64, (len(v)+63)/64)}
	setSigns(p.signs, v)
	if top == 0 || top != top {
		return p
	}
	p.scale = top / probeTop
	for i, x := range v {
		p.numbers[i] = int16(math.Round(float64(x / p.scale)))
	}
	return p
}

// Cosine returns the cosine of a row and a vector; 0 if the row has none.
func (m *Matrix) Cosine(row int, p *Probe) float32 {
	if row >= len(m.scales) || m.scales[row] == 0 || len(p.numbers) != m.dims {
		return 0
	}
	a := m.numbers[row*m.dims : row*m.dims+m.dims]
	b := p.numbers[:len(a)]
	var s0, s1, s2, s3 int32
	for len(a) >= 8 && len(b) >= 8 {
		x, y := (*[8]int8)(a), (*[8]int16)(b)
		s0 += int32(x[0])*int32(y[0]) + int32(x[4])*int32(y[4])
		s1 += int32(x[1])*int32(y[1]) + int32(x[5])*int32(y[5])
		s2 += int32(x[2])*int32(y[2]) + int32(x[6])*int32(y[6])
		s3 += int32(x[3])*int32(y[3]) + int32(x[7])*int32(y[7])
		a, b = a[8:], b[8:]
	}
	for i, x := range a {
		s0 += int32(x) * int32(b[i])
	}
	return float32(s0+s1+s2+s3) * m.scales[row] * p.scale
}

// Far reports whether a row is almost surely not like a vector: too many of
// their numbers have different signs. It is ten times as fast as the cosine.
// Of vectors with a cosine of 0.5 it takes one in a hundred for far, of those
// with none three quarters are told.
func (m *Matrix) Far(row int, p *Probe) bool {
	n := len(p.signs)
	if (row+1)*n > len(m.signs) {
		return true
	}
	different := 0
	for i, b := range m.signs[row*n : (row+1)*n] {
		different += bits.OnesCount64(b ^ p.signs[i])
	}
	return different*100 > 45*m.dims
}

// Neighbor is a row and how like a vector it is.
type Neighbor struct {
	Row    int
	Cosine float32
}

// Nearest returns the k rows that are nearest to a vector, the nearest first;
// rows of equal closeness in their order. exact, if not nil, returns the full
// vector of a row, by which the best 4k candidates are then compared again.
func (m *Matrix) Nearest(v Vector, k int, exact func(row int) Vector) []Neighbor {
	p := NewProbe(v)
	var all []Neighbor
	for row := range m.scales {
		if m.scales[row] != 0 {
			all = append(all, Neighbor{row, m.Cosine(row, &p)})
		}
	}
	order := func(a, b Neighbor) int {
		return cmp.Or(cmp.Compare(b.Cosine, a.Cosine), cmp.Compare(a.Row, b.Row))
	}
	slices.SortFunc(all, order)
	k = max(0, k)
	if exact != nil {
		all = all[:min(len(all), 4*k)]
		for i := range all {
			if e := exact(all[i].Row); len(e) == len(v) {
				all[i].Cosine = Dot(v, e)
			}
		}
		slices.SortFunc(all, order)
	}
	return all[:min(len(all), k)]
}
