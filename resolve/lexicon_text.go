package resolve

import "strings"

// genderWords tell whom a description is of, if all that occur agree.
var genderWords = func() map[string]gender {
	m := map[string]gender{}
	add := func(g gender, list string) {
		for _, w := range strings.Fields(list) {
			m[foldTableWord(w)] = g
		}
	}
	add(masculine, "he man boy male gentleman mann junge homme garçon hombre niño chico él uomo ragazzo homem он мужчина мальчик парень هو رجل ولد הוא איש גבר ילד άντρας άνδρας αγόρι αυτός 彼 男 他 그 남자 소년")
	add(feminine, "she woman girl female lady frau mädchen femme fille elle mujer niña chica ella donna ragazza lei mulher она женщина девочка девушка هي امرأة بنت فتاة היא אישה אשה ילדה γυναίκα κορίτσι αυτή 彼女 女 她 그녀 여자 소녀")
	return m
}()

// trait is one value of something of which a thing has one.
type trait struct{ row, value uint8 }

// traitRow is something of which a thing has one value. In words, the name of
// each value stands before "=", then the words for it.
type traitRow struct {
	name  string
	words string
	// near traits contradict each other only beside the same word.
	near  bool
	names []string
}

var traitTable = []traitRow{
	{name: "side of the sky", near: true, words: "north=northern,nord,nördlich,norte,nordlich,северный,северная,северной,северных,север,شمال,شمالي,צפון,צפוני,הצפוני,βόρεια,βόρειος,北,북쪽,북문 " +
		"south=southern,sud,süd,südlich,sur,южный,южная,южной,южных,юг,جنوب,جنوبي,דרום,דרומי,הדרומי,νότια,νότιος,南,남쪽,남문 " +
		"east=eastern,ost,östlich,восточный,восточная,восточной,восток,شرق,شرقي,מזרח,מזרחי,המזרחי,ανατολικά,東,东,동쪽,동문 " +
		"west=western,westlich,ouest,oeste,западный,западная,западной,запад,غرب,غربي,מערב,מערבי,המערבי,δυτικά,西,서쪽,서문"},
	{name: "age", words: "old=elderly,aged,ancient,alt,alte,alter,vieux,vieille,viejo,vieja,anciano,anciana,vecchio,vecchia,старый,старая,старик,старуха,пожилой,пожилая,عجوز,زקן,זקן,זקנה,γέρος,γριά,γέρικος,老,老人,늙은,노인 " +
		"young=youthful,jung,junge,junger,jeune,joven,giovane,jovem,молодой,молодая,юный,юная,юноша,شاب,شابة,צעיר,צעירה,νέος,νέα,νεαρός,νεαρή,若い,若,年轻,年輕,젊은"},
	{name: "height", words: "tall=hochgewachsen,alto,alta,высокий,высокая,طويل,طويلة,גבוה,גבוהה,ψηλός,ψηλή,키큰 short=bajo,baja,низкий,низкая,низенький,قصير,قصيرة,נמוך,נמוכה,κοντός,κοντή"},
	{name: "build", words: "fat=stout,plump,dick,gros,gordo,gorda,толстый,толстая,سمين,שמן,שמנה,χοντρός,χοντρή thin=skinny,lean,gaunt,dünn,maigre,flaco,flaca,худой,худая,тощий,نحيف,רזה,αδύνατος,αδύνατη"},
	{name: "hair", words: "red=redhaired,redhead,rothaarig,roux,rousse,pelirrojo,pelirroja,рыжий,рыжая,ג׳ינג׳י,κοκκινομάλλης,κοκκινομάλλα dark=brunette,dunkelhaarig,темноволосый,темноволосая,черноволосый,черноволосая,μελαχρινός,μελαχρινή " +
		"fair=blond,blonde,blondhaarig,rubio,rubia,белокурый,белокурая,светловолосый,أشقر,شقراء,בלונדיני,בלונדינית,ξανθός,ξανθιά,金髪 bald=kahl,chauve,calvo,calva,лысый,أصلع,קירח,φαλακρός grey=grauhaarig,седой,седая"},
	{name: "time of day", near: true, words: "night=nacht,nuit,noche,ночной,ночная,ليلي,לילה,νυχτερινός,夜 day=daytime,дневной,дневная"},
	{name: "hand", near: true, words: "left=links,linke,gauche,izquierda,izquierdo,левый,левая,левой,يسار,שמאל,αριστερά,左 right-hand=rechts,rechte,droite,derecha,derecho,правый,правая,правой,يمين,ימין,δεξιά,右"},
	{name: "metal", near: true, words: "gold=golden,gülden,goldener,or,oro,dorado,dorada,золотой,золотая,золотое,ذهبي,ذهب,זהב,χρυσός,χρυσό,金 silver=silbern,silberner,argent,plata,plateado,argento,серебряный,серебряная,серебряное,فضي,فضة,כסף,ασημένιος,ασημένιο,銀,银 " +
		"bronze=brass,copper,messing,kupfern,медный,медная,медное,نحاس,נחושת,χάλκινος,銅,铜 iron=eisern,eiserner,fer,hierro,железный,железная,железное,حديد,ברזל,σιδερένιος,鉄,铁"},
	{name: "place in a row", near: true, words: "first=erste,erster,premier,première,primero,primera,первый,первая second=zweite,zweiter,deuxième,segundo,segunda,второй,вторая third=dritte,dritter,troisième,tercero,tercera,третий,третья fourth=vierte,четвертый fifth=fünfte,пятый"},
	{name: "eyes", words: "blue green brown grey black red golden"},
}

const (
	hairRow = 4
	eyesRow = 9
)

// colours are the values of hair and eyes by the word before "hair", "haired",
// "eyes" or "eyed".
var (
	hairColours = map[string]uint8{"red": 0, "copper": 0, "ginger": 0, "auburn": 0, "black": 1, "dark": 1, "brown": 1, "raven": 1, "fair": 2, "blond": 2, "blonde": 2, "golden": 2, "yellow": 2, "grey": 4, "gray": 4, "white": 4, "silver": 4}
	eyeColours  = map[string]uint8{"blue": 0, "green": 1, "brown": 2, "hazel": 2, "grey": 3, "gray": 3, "black": 4, "dark": 4, "red": 5, "golden": 6, "amber": 6}
)

// traitWords finds traits by word.
var traitWords = buildTraits()

func buildTraits() map[string]trait {
	m := map[string]trait{}
	for i := range traitTable {
		row := &traitTable[i]
		for k, v := range strings.Fields(row.words) {
			name, list, described := strings.Cut(v, "=")
			row.names = append(row.names, name)
			if i == hairRow || i == eyesRow {
				// Only the words after it: a colour may be of anything.
				name = ""
			}
			if !described {
				list = ""
			}
			for _, w := range append(strings.Split(list, ","), name) {
				if w != "" {
					m[foldTableWord(w)] = trait{uint8(i), uint8(k)}
				}
			}
		}
	}
	return m
}

func lookTrait(w string) (trait, bool) {
	t, ok := traitWords[w]
	return t, ok
}

// colourTrait finds "red hair" and "red-haired", "green eyes", "green-eyed".
func colourTrait(before, w string) (trait, bool) {
	switch w {
	case "hair", "haired", "headed":
		v, ok := hairColours[before]
		return trait{hairRow, v}, ok
	case "eyes", "eyed":
		v, ok := eyeColours[before]
		return trait{eyesRow, v}, ok
	}
	return trait{}, false
}

// stopWords carry no meaning of their own.
var stopWords = map[string]bool{}

// hanParticles are characters of grammar in Chinese and Japanese.
const hanParticles = "的了是在和与與之也为為一个個名位其有被把这這那中"

func init() {
	for _, w := range strings.Fields(stopList) {
		stopWords[foldTableWord(w)] = true
	}
	for w, x := range lexicon {
		if x.article != 0 || x.prep || x.and {
			stopWords[w] = true
		}
	}
}

const stopList = "who whom whose that which this these those with without into onto over under and but not nor for from to as than then" +
	" is are was were be been being has have had do does did can could will would shall should may might must" +
	" he she it they him her his hers its their them you your we our us me my mine one some any all each every" +
	" there here when where while once now still just also very much many more most about after before between among through out off up down again" +
	" called named known name man woman person people who's" +
	" und oder aber nicht mit ohne ist sind war waren hat haben hatte wird werden sich er sie es ihm ihn ihr ihre sein seine der die das als auch nur noch mit bei nach durch für über unter wie wenn dass" +
	" et ou mais ne pas avec sans est sont était ont avait qui que dont il elle ils elles son sa ses leur au aux par pour sur sous dans plus très" +
	" y o pero no con sin es son era fue ha han había que quien cuyo él ella ellos su sus al por para sobre bajo en más muy" +
	" и или но не с без у к по за над под при для о об это он она они его ее их был была были есть что который которая как так же ещё уже тот та те" +
	" في من على الى إلى عن مع هو هي كان كانت الذي التي و ثم لا ما هذا هذه" +
	" של את עם על אל לא הוא היא הם זה זו היה הייתה אשר כי גם או אבל מן" +
	" και ή αλλά δεν με χωρίς είναι ήταν έχει είχε που αυτός αυτή στο στη στην στον σε για από του της των" +
	" 은 는 이 가 을 를 의 에 에서 와 과 그 그녀"
