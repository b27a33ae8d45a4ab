package search

import "strings"

// latinLanguages are the languages of Latin script that are told apart, in the
// order in which a tie is broken.
var latinLanguages = []Language{"en", "de", "fr", "es", "it", "pt", "nl", "sv", "no", "da", "fi", "hu", "ro", "tr"}

// littleWords are the words that say how a sentence is built and not what it
// is about, question words included. They are left out of texts, and tell the
// language of one. Folded, without accents.
var littleWords = map[Language]string{
	"en": `a an the and or but if then else of to in on at by for with about from as into onto over under up down out off
		is am are was were be been being do does did doing done have has had having will would shall should can could may might must
		i you he she it we they me him her us them my your his its our their mine yours hers ours theirs this that these those
		what which who whom whose when where why how there here not no nor so too very just than also
		some any each every something anything everything nothing somebody anybody everybody nobody someone anyone everyone
		im ive id youre youve thats its dont didnt isnt wasnt cant wont ll ve`,
	"de": `der die das den dem des ein eine einer eines einem einen und oder aber wenn dann als zu in im an am auf bei fur mit von vom aus nach uber unter
		ist bin bist sind war waren sein wird werden wurde wurden hat habe haben hatte hatten kann konnen muss soll will
		ich du er sie es wir ihr mich dich ihn uns euch mir dir ihm ihnen mein dein sein unser euer dieser diese dieses jener
		was wer wen wem wessen wann wo warum wie welche welcher welches hier da dort nicht kein keine so auch noch nur sehr doch schon`,
	"fr": `le la les l un une des du de d et ou mais si alors que qu a au aux en dans sur sous par pour avec sans chez vers
		est suis es sommes etes sont etait etaient ete etre ai as avons avez ont avait avaient fait peut doit
		je j tu il elle on nous vous ils elles me m te t se s lui leur y mon ton son ma ta sa mes tes ses notre votre nos vos leurs ce c cet cette ces
		quoi qui quel quelle quels quelles quand ou pourquoi comment ici la ne n pas plus non aussi tres`,
	"es": `el la los las un una unos unas lo de del y e o u pero si que a al en con sin por para sobre entre desde hasta
		es soy eres somos son era eran fue fueron ser sido esta estan estaba ha he has han habia hay puede debe
		yo tu el ella nosotros ustedes ellos ellas me te se le les nos mi mis tus su sus nuestro este esta estos estas ese esa eso
		que quien quienes cual cuales cuando donde como cuanto porque aqui alli no ni tambien muy mas ya`,
	"it": `il lo la i gli le un uno una di del dello della dei degli delle e ed o ma se che a al allo alla ai agli alle in nel nella con su sul sulla per tra fra da dal dalla
		e sono sei siamo siete era erano stato essere ha ho hai hanno aveva avevano puo deve
		io tu lui lei noi voi loro mi ti si ci vi gli mio mia tuo suo sua nostro questo questa questi queste quello quella
		cosa chi quale quali quando dove come perche qui non anche molto piu gia`,
	"pt": `o a os as um uma uns umas de do da dos das e ou mas se que ao aos em no na nos nas com sem por pelo pela para sobre entre ate
		sou es somos sao era eram foi foram ser estar esta estao estava tem tenho tinha ha pode deve
		eu tu ele ela nos voces eles elas me te lhe lhes meu minha teu seu sua nosso este esta isso esse essa aquele
		quem qual quais quando onde como quanto porque aqui ali nao nem tambem muito mais ja`,
	"nl": `de het een en of maar als dan van te in op aan bij voor met uit naar over onder door om
		is ben bent zijn was waren wordt werd worden heeft heb hebben had hadden kan kunnen moet zal wil
		ik jij je hij zij ze wij we jullie mij me hem haar ons hun mijn jouw zijn onze deze dit die dat
		wat wie wanneer waar waarom hoe welke hier daar er niet geen ook nog zeer zo`,
	"sv": `en ett den det de och eller men om da som av till i pa vid for med fran under over genom
		ar var vara varit blir blev har hade kan kunde maste ska skulle vill
		jag du han hon vi ni mig dig honom henne oss er dem min din hans hennes var denna detta dessa
		vad vem nar hur varfor vilken har dar inte ingen ocksa mycket sa att`,
	"no": `en et den det de og eller men om da som av til i pa ved for med fra under over gjennom
		er var vaere vaert blir ble har hadde kan kunne ma skal skulle vil
		jeg du han hun vi dere meg deg ham henne oss dem min din hans hennes denne dette disse
		hva hvem nar hvor hvordan hvorfor hvilken her der ikke ingen ogsa meget sa at`,
	"da": `en et den det de og eller men om da som af til i pa ved for med fra under over gennem
		er var vaere vaeret bliver blev har havde kan kunne ma skal skulle vil
		jeg du han hun vi jer mig dig ham hende os dem min din hans hendes denne dette disse
		hvad hvem hvornar hvor hvordan hvorfor hvilken her der ikke ingen ogsa meget sa at`,
	"fi": `ja tai mutta jos kun kuin etta niin on oli olen olet ovat olivat ollut olla ei en et eivat voi pitaa
		mina sina han me te he minun sinun hanen meidan heidan tama tuo se nama ne joka jotka
		mika kuka milloin missa mista mihin miksi miten tassa siella myos viela`,
	"hu": `a az egy es vagy de ha mint hogy nem ne is csak meg van volt vannak voltak lesz lenni lehet kell
		en te o mi ti ok engem teged ot minket ez ezek azok aki akik amely
		mi ki mikor hol hova honnan miert hogyan melyik itt ott nagyon mar`,
	"ro": `un o unei unui si sau dar daca ca de la in pe cu din pentru prin spre sub peste
		este sunt esti suntem era erau fost fi are am ai au avea poate trebuie
		eu tu el ea noi voi ei ele ma te se imi iti ii le meu tau sau lui nostru acest aceasta acesti acel
		ce cine cand unde cum care aici acolo nu nici foarte mai`,
	"tr": `bir ve veya ya ama eger ise ki da de ile icin gibi kadar sonra once
		mi mu var yok degil idi oldu olan olarak
		ben sen o biz siz onlar beni seni onu bizi benim senin onun bizim bu su
		ne kim ne nerede nasil neden nicin hangi burada cok daha`,
	"ru": `и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по ее мне было вот от меня о из ему
		когда даже ну ли если или быть был него до вас опять уж вам ведь там потом себя ничего ей они тут где есть для мы тебя их чем была сам
		чтоб без чего тоже себе под будет тогда кто этот того потому этого какой какая какие ним этом мой тем чтобы нее были куда зачем всех при
		об это эта эти почему сколько чей чья`,
	"ar": `في من على الى إلى عن مع هذا هذه ذلك تلك التي الذي الذين ما ماذا من متى أين كيف لماذا هل كم أي
		هو هي هم نحن انا أنا انت أنت كان كانت يكون قد لقد لا لم لن ليس و او أو ثم أن ان إن كل بعد قبل عند بين`,
}

// little are the little words of all languages, with the languages that have
// them as bits of [latinLanguages]; bit 15 is another script.
var little = func() map[string]uint16 {
	m := map[string]uint16{}
	for lang, words := range littleWords {
		bit := uint16(1) << 15
		for i, l := range latinLanguages {
			if l == lang {
				bit = 1 << i
			}
		}
		for w := range strings.FieldsSeq(words) {
			m[plain(w)] |= bit
		}
	}
	return m
}()

// timeWords say when something happens. A text that has one is likelier to
// answer a question for a time.
var timeWords = wordSet(`yesterday today tomorrow tonight ago week weeks month months year years day days weekend
	monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september october november december
	recently soon morning evening night noon midnight dawn dusk summer winter spring autumn fall century decade hour hours last next
	gestern heute morgen abend nacht woche wochen monat monate jahr jahre tag tage montag dienstag mittwoch donnerstag freitag samstag sonntag
	hier aujourd'hui demain soir nuit semaine semaines mois an ans annee annees jour jours lundi mardi mercredi jeudi vendredi samedi dimanche
	ayer hoy manana noche semana semanas mes meses ano anos dia dias lunes martes miercoles jueves viernes sabado domingo
	вчера сегодня завтра неделю неделя недели месяц месяца год года лет день дня дней утром вечером ночью зимой летом весной осенью назад
	昨日 今日 明日 昨天 今天 明天 去年 今年 来年 明年 先週 来週 上周 下周 先月 来月 夜 朝 春 夏 秋 冬 月 年 日
	أمس اليوم غدا أسبوع شهر سنة عام يوم ليلة`)

// whenWords ask for a time.
var whenWords = wordSet(`when wann quand cuando quando wanneer nar hvornar milloin mikor cand когда متى`)

// whenPhrases ask for a time in scripts without spaces.
var whenPhrases = []string{"いつ", "何時", "什么时候", "什麼時候", "何时", "哪天", "언제", "เมื่อไหร่", "เมื่อไร"}

func wordSet(words string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		m[plain(w)] = true
	}
	return m
}
