package engine

// CutText is cutText, for the property test.
var CutText = cutText

// HumanDuration is humanDuration, for its table.
var HumanDuration = humanDuration
