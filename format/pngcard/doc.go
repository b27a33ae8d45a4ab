// Package pngcard reads and writes character cards inside PNG and APNG
// pictures.
//
// The card stands in a text chunk (tEXt, zTXt or iTXt) called `ccv3` (V3) or
// `chara` (V1, V2), as JSON in base64. Where both are there, ccv3 counts; the
// other is the view for older programs and is changed together with it once
// something is edited. Every other chunk, the frames of an animation included,
// stays byte for byte.
package pngcard
