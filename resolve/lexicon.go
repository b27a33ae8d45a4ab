package resolve

import "strings"

// lexeme is what the tables know about one word of a name.
type lexeme struct {
	// article is a set of genders; 0 if the word is no article.
	article gender
	// mid tells that the article begins an epithet inside a name (Valen the
	// Shadow).
	mid bool
	// prep tells a preposition; of marks those that mean belonging, whose
	// complement never names the thing itself.
	prep, of bool
	// title is the honorific or office that the word is, nil if none.
	title *title
	// suffix is the title that the word is behind a name, or nil.
	suffix *title
	// role is the trade or office that the word names in an epithet or bracket
	// (Tom the guard), or "".
	role string
	// number is the value of a number word or ordinal, 0 if none.
	number int
	// adjective is the epithet that the word is, in canonical form, or "".
	adjective string
	// noun is the kind of thing that the word names (tavern, guild), or nil.
	noun *noun
	// kin tells words for relations and parts, whose complement is somebody
	// else.
	kin bool
	and bool
}

// gender is a set of grammatical or natural genders.
type gender uint8

const (
	masculine gender = 1 << iota
	feminine
	neuter
	anyGender = masculine | feminine | neuter
)

// title is an honorific, rank or office. Words of several languages for the
// same one share it.
type title struct {
	name string
	of   gender
	// courtesy titles (-san) say nothing that would tell two people apart.
	courtesy bool
	// given tells titles that are given names too (Don, Dean, Miles).
	given bool
}

// noun is a word for a kind of thing.
type noun struct {
	// name is the word, without the s of a plural.
	name string
	// kind is shared by words for the same or nearly the same.
	kind string
	// synonyms tells that the words of the kind may replace each other.
	synonyms bool
	// of are the kinds whose names it occurs in.
	of kinds
	// part tells parts of a whole: Ravenhall Cellar is not Ravenhall.
	part bool
}

// kinds is a set of kinds.
type kinds uint16

const (
	places  = 1<<place | 1<<group | 1<<object
	groups  = 1<<group | 1<<place | 1<<object
	vessels = 1<<item | 1<<place | 1<<object
	events  = 1<<event | 1<<idea | 1<<object
	objects = 1<<item | 1<<object
	ideas   = 1<<idea | 1<<object
)

// fits reports whether the noun tells the kind of thing in names of k.
func (n *noun) fits(k kind) bool {
	return n != nil && (k == either || n.of&(1<<k) != 0)
}

// lexicon holds every word of the tables by its folded form, built once.
var lexicon = buildLexicon()

// phrases are titles of two words, by their folded forms.
var phrases map[[2]string]*title

func buildLexicon() map[string]*lexeme {
	m := make(map[string]*lexeme, 2048)
	phrases = make(map[[2]string]*title)
	at := func(w string) *lexeme {
		if m[w] == nil {
			m[w] = &lexeme{}
		}
		return m[w]
	}
	each := func(list string, do func(x *lexeme)) {
		for _, w := range strings.Fields(list) {
			do(at(foldTableWord(w)))
		}
	}
	for _, row := range articleTable {
		each(row.words, func(x *lexeme) { x.article, x.mid = row.of, row.mid })
	}
	each(prepositions, func(x *lexeme) { x.prep = true })
	each(prepositionsOf, func(x *lexeme) { x.prep, x.of = true, true })
	for _, row := range titleTable {
		t := &title{name: row.name, of: row.of, courtesy: row.courtesy, given: row.given}
		for _, w := range strings.Fields(row.words) {
			if a, b, ok := strings.Cut(w, "_"); ok {
				phrases[[2]string{foldTableWord(a), foldTableWord(b)}] = t
				continue
			}
			at(foldTableWord(w)).title = t
		}
		for _, w := range strings.Fields(row.suffixes) {
			at(foldTableWord(w)).suffix = t
		}
		for _, w := range strings.Fields(row.alsoGiven) {
			g := *t
			g.given = true
			at(foldTableWord(w)).title = &g
		}
	}
	for n, words := range numberTable {
		each(words, func(x *lexeme) { x.number = n + 1 })
	}
	for _, row := range adjectiveTable {
		name, words, _ := strings.Cut(row, ":")
		each(name+" "+words, func(x *lexeme) { x.adjective = name })
	}
	for _, row := range nounTable {
		for _, w := range strings.Fields(row.words) {
			w = foldTableWord(w)
			n := &noun{name: w, kind: row.name, of: row.of, synonyms: row.synonyms, part: row.part}
			if s, ok := strings.CutSuffix(w, "s"); ok && m[s] != nil && m[s].noun != nil && m[s].noun.kind == row.name {
				n = m[s].noun // a plural
			}
			at(w).noun = n
		}
	}
	for _, x := range m {
		if x.title != nil && !x.title.courtesy {
			x.role = x.title.name
		}
		if x.suffix != nil && !x.suffix.courtesy && x.role == "" {
			x.role = x.suffix.name
		}
	}
	for _, row := range roleTable {
		name, words, _ := strings.Cut(row, ":")
		each(name+" "+words, func(x *lexeme) { x.role = name })
	}
	each(kinTable, func(x *lexeme) { x.kin = true })
	each("& and und et y e и и́ och ja en och", func(x *lexeme) { x.and = true })
	return m
}

// foldTableWord folds a word of a table as tokenize folds words of names.
func foldTableWord(w string) string {
	w = foldAccents(strings.ToLower(w))
	if isArabic(w) {
		w = trimArabicArticle(w)
	}
	return w
}

var articleTable = []struct {
	of    gender
	mid   bool
	words string
}{
	{anyGender, true, "the"},
	{anyGender, false, "a an"},
	{masculine | feminine, true, "der den"},
	{feminine | masculine | neuter, true, "die les los gli i"},
	{neuter, true, "das"},
	{masculine | neuter, true, "dem il lo el le"},
	{feminine, true, "la las"},
	{anyGender, true, "l des"},
	{anyGender, false, "ein eine einer einem einen eines un une una uno unos unas um uma"},
	{anyGender, true, "het de os"},
	// Greek.
	{masculine, true, "ο τον"},
	{feminine, true, "η την"},
	{neuter, true, "το"},
	{anyGender, true, "οι τα του της των"},
}

// Words of belonging: mother of Valen is not Valen.
const prepositionsOf = "of from de du del della dello di do da des vom aus"

// Particles of surnames, and other small words.
const prepositions = "von van zu zur zum of at in on by ben bin ibn bint al el y in im am an auf bei near" +
	" из от с на в ben bat"

// numberTable holds number words and ordinals: row n is the number n+1.
var numberTable = []string{
	"first 1st i ι erste erster erstes ersten premier premiere primero primera primo prima primeiro primeira первый первая первое первого أول أولى ראשון ראשונה הראשון הראשונה πρωτος πρωτη 一世",
	"second 2nd ii zweite zweiter zweites zweiten deuxieme segundo segunda secondo seconda второй вторая второе второго ثاني ثانية שני שנייה השני השנייה δευτερος δευτερη 二世",
	"third 3rd iii dritte dritter drittes dritten troisieme tercero tercera terzo terza третий третья третье третьего ثالث ثالثة שלישי שלישית השלישי השלישית τριτος τριτη",
	"fourth 4th iv vierte vierter viertes vierten quatrieme cuarto cuarta quarto quarta четвертый четвертая четвертое رابع رابعة רביעי הרביעי τεταρτος τεταρτη",
	"fifth 5th funfte funfter funftes funften cinquieme quinto quinta пятый пятая пятое خامس خامسة חמישי החמישי πεμπτος πεμπτη",
	"sixth 6th sechste sechster sechsten sixieme sexto sexta sesto sesta шестой шестая шестое سادس سادسة שישי השישי εκτος",
	"seventh 7th vii siebte siebter siebten septieme septimo septima settimo settima седьмой седьмая سابع سابعة שביעי השביעי εβδομος",
	"eighth 8th viii achte achter achten huitieme octavo octava ottavo ottava восьмой восьмая ثامن ثامنة שמיני השמיני ογδοος",
	"ninth 9th ix neunte neunter neunten neuvieme noveno novena nono nona девятый девятая تاسع تاسعة תשיעי התשיעי ενατος",
	"tenth 10th zehnte zehnter zehnten dixieme decimo decima десятый десятая عاشر عاشرة עשירי העשירי δεκατος",
	"eleventh 11th xi elfte elfter onzieme одиннадцатый",
	"twelfth 12th xii zwolfte zwolfter douzieme двенадцатый",
	"thirteenth 13th xiii dreizehnte dreizehnter treizieme тринадцатый",
	"fourteenth 14th xiv vierzehnte vierzehnter quatorzieme четырнадцатый",
	"fifteenth 15th xv funfzehnte funfzehnter quinzieme пятнадцатый",
	"sixteenth 16th xvi sechzehnte sechzehnter seizieme шестнадцатый",
	"seventeenth 17th xvii семнадцатый", "eighteenth 18th xviii восемнадцатый",
	"nineteenth 19th xix девятнадцатый", "twentieth 20th xx двадцатый",
}

// adjectiveTable holds epithets that stand before or after a name, and words
// that tell places of one name apart: canonical form, then the others.
var adjectiveTable = []string{
	"old:elder older senior sr alte alter altes alten altere alterer vieux vieille ancien ancienne viejo vieja mayor vecchio vecchia velho velha старый старая старое старик старуха старший старшая oude הזקן הזקנה الكبير γερο πρεσβυτερος",
	"young:younger junior jr junge junger junges jungen jungere jungerer jeune cadet joven menor giovane jovem молодой молодая молодое младший младшая הצעיר הצעירה الصغير νεοτερος νεος νεα",
	"tall:lange langer langen hohe hoher grand alto alta высокий высокая длинный длинная",
	"short:kurze kurzer petit petite bajo baja короткий низкий",
	"little:small wee tiny kleine kleiner kleines kleinen chico chica pequeno pequena piccolo piccola маленький маленькая малый малая малое הקטן הקטנה μικρος μικρη μικρο",
	"big:great large grosse grosser grosses grossen grande gran большой большая большое великий великая великое הגדול הגדולה μεγας μεγαλος μεγαλη μεγαλο",
	"fat:dicke dicker gros gordo gorda толстый толстая",
	"thin:skinny lean dunne dunner maigre flaco flaca худой худая тощий",
	"blind:blinde blinder aveugle ciego ciega слепой слепая",
	"lame:lahme lahmer boiteux cojo coja хромой хромая",
	"mad:crazy verruckte verruckter fou folle loco loca безумный безумная",
	"red:rote roter roten rouge rojo roja rosso rossa рыжий рыжая красный красная",
	"black:schwarze schwarzer schwarzes schwarzen noir noire negro negra nero nera черный черная черное",
	"white:weisse weisser weisses weissen blanc blanche blanco blanca bianco bianca белый белая белое",
	"grey:gray graue grauer grauen gris grise серый серая", "one-eyed:oneeyed einaugige einaugiger borgne tuerto tuerta одноглазый одноглазая",
	"good:kind gute guter", "poor:arme armer pauvre pobre", "new:neue neuer neues neuen nouveau nouvelle nuevo nueva nuovo nuova новый новая новое חדש חדשה νεο",
	"upper:ober obere oberer oberes oberen haut haute верхний верхняя верхнее", "lower:unter untere unterer unteres unteren нижний нижняя нижнее",
	"north:northern nord nordliche norte северный северная северное", "south:southern sud sudliche sur sul южный южная южное",
	"east:eastern ost ostliche est este восточный восточная восточное", "west:western westliche ouest oeste западный западная западное",
	"inner:innere innerer", "outer:aussere ausserer",
}

// roleTable holds trades that are family names or given names where they stand
// before a name, and so count only in epithets and brackets: a word, then the
// same in other languages.
var roleTable = []string{
	"smith:schmied forgeron herrero fabbro ferreiro кузнец σιδεράς 铁匠 鐵匠 대장장이",
	"baker:bäcker bäckerin boulanger boulangère panadero panadera пекарь булочник булочница خباز אופה φούρναρης 面包师 パン屋 제빵사",
	"miller:müller müllerin meunier meunière molinero molinera мельник мельничиха طحان טוחן μυλωνάς 磨坊主 粉屋",
	"cook:koch köchin cuisinier cuisinière cocinero cocinera повар кухарка طباخ טבח μάγειρας 厨师 料理人 요리사",
	"tailor:seamstress schneider schneiderin tailleur couturière sastre costurera портной портниха швея خياط חייט ράφτης 裁缝 仕立屋 재단사",
	"carpenter:zimmermann tischler charpentier carpintero плотник столяр نجار נגר ξυλουργός 木匠 大工 목수",
	"mason:maurer maçon albañil каменщик بناء בנאי",
	"hunter:jäger jägerin chasseur cazador cazadora охотник охотница صياد צייד κυνηγός 猎人 猟師 사냥꾼",
	"archer:bogenschütze tireur arquero лучник τοξότης 弓箭手 射手 궁수",
	"thief:dieb diebin voleur voleuse ladrón ladrona вор воровка لص גנב κλέφτης 小偷 盗賊 도둑",
	"pilot:lotse lotsin pilote piloto лоцман مرشد נווט πλοηγός 领航员 水先案内人 도선사",
	"ferryman:fährmann passeur barquero паромщик перевозчик",
	"fisher:fischer pêcheur pescador рыбак рыбачка דייג ψαράς 渔夫 漁師 어부",
	"sailor:seemann matrose marin marinero матрос моряк بحار מלח ναύτης 水手 船乗り 선원",
	"singer:bard minstrel sänger sängerin chanteur chanteuse cantante певец певица مغني זמר τραγουδιστής 歌手 가수",
	"tanner:gerber tanneur curtidor кожевник", "potter:töpfer potier alfarero гончар", "weaver:weber tisserand tejedor ткач ткачиха",
	"shepherd:schäfer hirte berger pastor пастух راعي רועה βοσκός 牧羊人 羊飼い 양치기", "barber:barbier barbero цирюльник حلاق ספר",
	"butcher:metzger fleischer boucher carnicero мясник جزار קצב χασάπης 屠夫 肉屋 백정", "beggar:bettler mendiant mendigo нищий нищая",
	"gatekeeper:doorman torwächter portier portero привратник بواب שוער πορτιέρης 門番 门卫 문지기", "assassin:assassine asesino убийца قاتل מתנקש",
	"monk:mönch moine monje монах راهب נזיר μοναχός 和尚 僧侶 수도사", "nun:nonne religieuse monja монахиня راهبة נזירה μοναχή 修女 尼",
}

// kinTable holds words for people by their relation to somebody else.
const kinTable = "mother father brother sister son daughter wife husband widow widower friend servant uncle aunt" +
	" cousin nephew niece child children heir twin parent ghost spirit shade remains body corpse dog cat horse" +
	" mutter vater bruder schwester sohn tochter frau mann witwe mere pere frere soeur fils fille femme mari veuve" +
	" madre padre hermano hermana hijo hija esposa esposo viuda fratello sorella figlio figlia moglie" +
	" мать отец брат сестра сын дочь жена муж вдова"
