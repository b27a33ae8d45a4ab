package engine

// CutText is cutText, for the property test.
var CutText = cutText
