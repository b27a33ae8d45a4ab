package resolve

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Names in Chinese characters, kana and Hangul are written without spaces. The
// functions below find their parts by what they end in and by lists of common
// family names; a name in no list stays whole.

// isUnspaced reports whether s is written in Han, kana or Hangul throughout.
func isUnspaced(s string) bool {
	if isASCII(s) {
		return false
	}
	letter := false
	for _, r := range s {
		if r == 'ー' || r == '々' || unicode.IsDigit(r) {
			continue
		}
		if !unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) {
			return false
		}
		letter = true
	}
	return letter
}

func isUnspacedName(words []word) bool {
	return len(words) == 1 && isUnspaced(words[0].text)
}

// cutSuffix finds the longest word of the tables, for which ok holds, at the
// end of s. What is before it keeps at least keep characters.
func cutSuffix(s string, keep int, ok func(x *lexeme) bool) (string, *lexeme) {
	n := utf8.RuneCountInString(s)
	for i := range s {
		if keep > 0 {
			keep--
			n--
			continue
		}
		if i == 0 {
			continue
		}
		if n > 6 {
			n--
			continue
		}
		if x := lexicon[s[i:]]; x != nil && ok(x) {
			return s[:i], x
		}
		n--
	}
	return s, nil
}

// cutSuffixTitle takes an honorific off the end of a name.
func cutSuffixTitle(s string) (string, *title) {
	rest, x := cutSuffix(s, 1, func(x *lexeme) bool { return x.suffix != nil })
	if x == nil {
		return s, nil
	}
	// One character alone is an honorific (君, 씨) only behind two others: it
	// is the end of many names.
	last := s[len(rest):]
	if utf8.RuneCountInString(last) == 1 && utf8.RuneCountInString(rest) < 2 && last != "様" && last != "씨" && last != "님" {
		return s, nil
	}
	return rest, x.suffix
}

// takeUnspacedNoun takes the kind of thing off the end of a name: 黒猫亭.
func (n *name) takeUnspacedNoun(words []word, k kind) []word {
	s := words[0].text
	rest, x := cutSuffix(s, 1, func(x *lexeme) bool { return x.noun.fits(k) })
	if x == nil || utf8.RuneCountInString(s) < 3 {
		return words
	}
	n.nouns = append(n.nouns, x.noun)
	return []word{{text: rest, strict: rest, lex: lexicon[rest]}}
}

var hanDigits = map[rune]int{'一': 1, '二': 2, '三': 3, '四': 4, '五': 5, '六': 6, '七': 7, '八': 8, '九': 9}

// takeUnspacedNumber takes the number of a reign off the end: 八世, 3세.
func (n *name) takeUnspacedNumber(words []word) []word {
	s := words[0].text
	if isASCII(s) {
		return words
	}
	rest, ok := strings.CutSuffix(s, "世")
	if !ok {
		rest, ok = strings.CutSuffix(s, "세")
	}
	if !ok {
		return words
	}
	runes := []rune(rest)
	i := len(runes)
	for i > 0 && (hanDigits[runes[i-1]] > 0 || runes[i-1] == '十' || '0' <= runes[i-1] && runes[i-1] <= '9') {
		i--
	}
	v := 0
	for _, r := range runes[i:] {
		switch {
		case r == '十':
			v = max(v, 1) * 10
		case hanDigits[r] > 0:
			v += hanDigits[r]
		default:
			v = (v*10 + int(r-'0')) % 1000
		}
	}
	if v == 0 || i == 0 {
		return words
	}
	n.numbers = append(n.numbers, v)
	text := string(runes[:i])
	return []word{{text: text, strict: text, lex: lexicon[text]}}
}

// appendHanName parts a name without spaces into family name and given name
// where a list knows the family name, and appends them.
func appendHanName(dst []string, s string) []string {
	runes := []rune(s)
	if len(runes) < 3 || len(runes) > 6 {
		if len(runes) == 2 && unicode.Is(unicode.Han, runes[0]) && strings.ContainsRune(chineseFamilyNames, runes[0]) {
			return append(dst, string(runes[:1]), string(runes[1:]))
		}
		return append(dst, s)
	}
	if unicode.Is(unicode.Hangul, runes[0]) {
		if len(runes) == 4 && strings.Contains(koreanDoubleNames, string(runes[:2])) {
			return append(dst, string(runes[:2]), string(runes[2:]))
		}
		if len(runes) == 3 && strings.ContainsRune(koreanFamilyNames, runes[0]) {
			return append(dst, string(runes[:1]), string(runes[1:]))
		}
		return append(dst, s)
	}
	if !unicode.Is(unicode.Han, runes[0]) {
		return append(dst, s)
	}
	for n := 3; n >= 2; n-- {
		if head := string(runes[:n]); len(runes) > n && (japaneseFamilyNames[head] || chineseDoubleNames[head]) {
			return append(dst, head, string(runes[n:]))
		}
	}
	if len(runes) <= 3 && strings.ContainsRune(chineseFamilyNames, runes[0]) {
		return append(dst, string(runes[:1]), string(runes[1:]))
	}
	return append(dst, s)
}

const (
	chineseFamilyNames = "王李张張刘劉陈陳杨楊赵趙黄黃周吴吳徐孙孫胡朱高林何郭马馬罗羅梁宋郑鄭谢謝韩韓唐冯馮于董萧蕭程曹袁邓鄧许許傅沈曾彭吕呂苏蘇卢盧蒋蔣蔡贾賈丁魏薛叶葉阎閻余潘杜戴夏钟鐘汪田任姜范方石姚谭譚廖邹鄒熊金陆陸郝孔白崔康毛邱秦江史顾顧侯邵孟龙龍万萬段雷钱錢汤湯尹黎易常武乔喬贺賀赖賴龚龔文"
	koreanFamilyNames  = "김이박최정강조윤장임한오서신권황안송류유전홍고문양손배백허남심노하곽성차주우구나민진엄채원천방공현함변염여추도소석선설마길연위표명기반왕금옥육인맹제모탁국어은편용"
	koreanDoubleNames  = "남궁 황보 제갈 사공 선우 독고 서문"
)

var (
	chineseDoubleNames  = wordSet("欧阳 歐陽 司马 司馬 诸葛 諸葛 上官 夏侯 皇甫 慕容 东方 東方 独孤 獨孤 令狐 公孙 公孫 尉迟 尉遲 长孙 長孫 南宫 南宮 司徒 轩辕 軒轅")
	japaneseFamilyNames = wordSet("佐藤 鈴木 高橋 田中 伊藤 渡辺 渡邊 渡部 山本 中村 小林 加藤 吉田 山田 佐々木 山口 松本 井上 木村 斎藤 斉藤 清水 山崎 阿部 池田 橋本 山下 石川 中島 前田 藤田 小川 後藤 岡田 長谷川 石井 村上 近藤 坂本 遠藤 青木 藤井 西村 福田 太田 三浦 岡本 松田 中川 中野 原田 小野 田村 竹内 金子 和田 中山 石田 上田 森田 柴田 酒井 工藤 横山 宮崎 宮本 内田 高木 安藤 谷口 大野 丸山 今井 高田 藤原 武田 村田 上野 杉山 増田 平野 大塚 千葉 久保 松井 小島 岩崎 桜井 野口 松尾 野村 木下 菊地 佐野 大西 杉本 新井 浜田 菅原 市川 水野 小松 島田 古川 織田 徳川 豊臣 明智 黒田 白石 神谷 桐生 真田 北条 星野 雪村 天野 早川")
)

func wordSet(list string) map[string]bool {
	m := make(map[string]bool)
	for _, w := range strings.Fields(list) {
		m[w] = true
	}
	return m
}
