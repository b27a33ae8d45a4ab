package compendium

import (
	"strings"

	"github.com/weft-memory/weft/resolve"
)

// categoryOf returns the category of a relationship by its nature, "" if the
// table does not know it. Former and false bonds belong where the bond does: a
// former member served, an ex-lover loved.
func categoryOf(nature string) string {
	n := strings.ReplaceAll(resolve.Normal(nature), "_", " ")
	if c, ok := natures[n]; ok {
		return c
	}
	best := "" // the last word that is known says what it is: "secret half brother"
	for _, w := range strings.Fields(n) {
		if c, ok := natures[w]; ok {
			best = c
		}
	}
	return best
}

// natures maps natures in normal form to categories.
var natures = func() map[string]string {
	out := map[string]string{}
	for category, words := range map[string]string{
		"kin": "kin family relative mother father parent son daughter child brother sister sibling twin cousin uncle aunt niece nephew " +
			"grandmother grandfather grandson granddaughter grandparent grandchild half-brother half-sister stepmother stepfather stepson stepdaughter " +
			"ward guardian heir ancestor descendant foster-mother foster-father mother-in-law father-in-law brother-in-law sister-in-law",
		"romance": "romance romantic romantic-tension romantic-interest lover lovers love beloved spouse wife husband married fiance fiancee betrothed engaged " +
			"girlfriend boyfriend partner-in-love ex-lover ex-wife ex-husband ex-girlfriend ex-boyfriend crush attraction infatuation courtship suitor sweetheart dating mistress affair flirtation",
		"friendship": "friend friends friendship best-friend childhood-friend companion comrade confidant confidante acquaintance buddy pal trust trusted neighbour neighbor",
		"alliance":   "ally allies alliance partner partners business-partner accomplice collaborator co-conspirator reluctant-ally teammate colleague crewmate fellow",
		"rivalry":    "rival rivals rivalry competitor competition jealousy jealous envy",
		"enmity": "enemy enemies enmity nemesis foe hostile hostility hatred hates feud grudge betrayed betrayer traitor target hunter hunted prey victim " +
			"assassin murderer captor prisoner tormentor arch-enemy distrust suspicion",
		"authority":  "authority boss leader commander captain superior ruler king queen lord lady liege master owner employer chief general patron",
		"service":    "service servant subordinate follower vassal employee soldier guard bodyguard retainer member former-member ex-member apprentice-guard agent operative spy informant minion slave butler maid client",
		"mentorship": "mentor mentorship teacher student pupil apprentice disciple protege protegee tutor trainer master-and-apprentice coach instructor",
		"debt":       "debt debtor creditor owes owed life-debt indebted borrower lender blackmail blackmailer saved rescued",
	} {
		for w := range strings.FieldsSeq(words) {
			out[resolve.Normal(w)] = category
		}
	}
	return out
}()
