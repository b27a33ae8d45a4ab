// Writes js_golden.json: what JavaScript itself makes of expressions and of
// toLowerCase and trim. Run with Node 20 or newer, in this folder:
//
//	node js_golden.mjs [SEED [COUNT]] > js_golden.json
//
// Each case is one of
//
//	{"p": pattern, "f": flags, "t": text, "r": [start, end]}  match, in UTF-16 units
//	{"p": pattern, "f": flags, "t": text}                     no match
//	{"p": pattern, "f": flags, "bad": true}                   refused
//	{"lower": text, "is": text} and {"trim": text, "is": text}
let seed = Number(process.argv[2] ?? 1);
const count = Number(process.argv[3] ?? 1500);

function rnd(n) {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return Math.floor((seed / 4294967296) * n);
}
const pick = (list) => list[rnd(list.length)];

const chars = ["a", "b", "A", "B", "k", "s", "0", "9", "_", " ", "-", "é", "É", "ß", "ſ", "\u212a", "İ", "ı", "Σ", "ς", "σ",
  "µ", "μ", "я", "Я", "東", "🐙", "🐚", "\u{10400}", "\u{10428}", "\n", "\r", "\u2028", "\u00a0", "\ufeff", "\u0085", "ǆ", "ǅ", "\x01", "ᾳ", "ᾼ", "ŉ"];
const escapes = ["\\d", "\\w", "\\s", "\\D", "\\W", "\\S", "\\b", "\\B", "\\n", "\\t", "\\0", "\\1", "\\2", "\\8", "\\12", "\\x61", "\\u0062",
  "\\u00e9", "\\ud83d\\udc19", "\\ud83d", "\\u{61}", "\\u{1F419}", "\\cJ", "\\c", "\\c1", "\\-", "\\/", "\\.", "\\a", "\\p{L}", "\\P{Lu}",
  "\\p{Script=Greek}", "\\p{Nope}", "\\k<n>", "\\k", "\\x6", "\\u12", "\\A", "\\Z", "\\G", "\\z", "\\_", "\\$", "\\é"];
const classes = ["[a-b]", "[^a]", "[]", "[^]", "[\\d-x]", "[a-\\d]", "[b-a]", "[\\b]", "[é-ï]", "[🐙]", "[^🐙]", "[🐙-🐚]", "[a-[b]]", "[\\w\\W]",
  "[\\]a]", "[-a]", "[a-]", "[\\c1]", "[\\c]", "[\\cA]", "[\\1]", "[\\B]", "[\\k]", "[[:alpha:]]", "[^\\s\\d]", "[^\\W]", "[\\p{L}]", "[^\\p{Lu}]",
  "[A-z]", "[à-þ]", "[^A-Z]", "[\\u017f]", "[\\ud83d\\udc19]", "[σ]", "[^σ]"];
const groups = ["(?:", "(", "(?=", "(?!", "(?<=", "(?<!", "(?<n>", "(?<m>", "(?i:", "(?>", "(?#", "(?P<n>", "(?'n'"];
const repeats = ["*", "+", "?", "*?", "+?", "??", "{2}", "{1,2}", "{0,}", "{,2}", "{", "{2", "}", "{3,1}", "{a}", "**", "*+", "{1}{2}"];

function atom(depth) {
  switch (rnd(8)) {
    case 0: case 1: case 2: return pick(chars);
    case 3: return pick(escapes);
    case 4: return pick(classes);
    case 5: return pick([".", ".", "^", "$", "]", "|"]);
    default:
      if (depth > 2) return pick(chars);
      return pick(rnd(4) ? groups.slice(0, 7) : groups) + pattern(depth + 1) + (rnd(30) ? ")" : "");
  }
}
function pattern(depth) {
  let s = "";
  for (let n = 1 + rnd(4); n > 0; n--) {
    s += atom(depth);
    if (rnd(3) === 0) s += pick(rnd(3) ? repeats.slice(0, 8) : repeats);
    if (rnd(8) === 0) s += "|";
  }
  return s;
}
function text() {
  let s = "";
  for (let n = rnd(8); n > 0; n--) s += pick(chars);
  return s;
}
const wellFormed = (s) => s.isWellFormed();

const cases = [];
while (cases.length < count) {
  const p = pattern(0), t = text();
  const f = [..."imsuy"].filter(() => rnd(3) === 0).join("");
  let re;
  try { re = new RegExp(p, f); } catch { if (rnd(3) === 0) cases.push({ p, f, bad: true }); continue; }
  const m = re.exec(t);
  if (!m && rnd(2)) continue;
  cases.push(m ? { p, f, t, r: [m.index, m.index + m[0].length] } : { p, f, t });
}
const letters = [...chars, "'", ".", "\u00ad", "\u0301", "ʰ", "ͅ", "Ⅷ", "Ⓐ", "ª", "ΝΗΣ", "ΟΣ'", "Σ.", "ẞ", "K", "Ꭰ", "Ა", "\u{1e900}", "\u200d", "^", "`", ":", "·", "’", "2"];
for (let i = 0; i < count / 5; i++) {
  let s = "";
  for (let n = 1 + rnd(6); n > 0; n--) s += rnd(3) ? pick(letters) : "Σ";
  cases.push({ lower: s, is: s.toLowerCase() });
  const space = () => pick(["", " ", "\t", "\u00a0", "\u0085", "\ufeff", "\u2029", "\u180e", "\u200b", "\u3000", "\v", "\x1c", "\u1680"]);
  s = space() + space() + pick(chars) + space() + space();
  cases.push({ trim: s, is: s.trim() });
}
process.stdout.write("[\n" + cases.filter((c) => wellFormed(JSON.stringify(c))).map((c) => JSON.stringify(c)).join(",\n") + "\n]\n");
