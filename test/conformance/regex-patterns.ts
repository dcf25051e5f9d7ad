// The patterns of the conformance of regular expressions, and the texts in which they differ.

const r = String.raw;

/** Texts in which the constructs of the patterns differ. */
export const SUBJECTS = [
  ...['', '\n', 'a', 'a\n', 'a\n\n', '\na', 'a\nb', 'a b', 'foo bar'],
  ...['\t', ' ', '\u00a0', '\u2028', '\r\n', '\r', '\u0085', '\v', '\b', '\\'],
  ...listed('b ab aab abc ABC a.b a-b a_b 1 12 ٣ é É ς σ Σ ß ẞ ss k K \u212a s ſ ı i I İ µ μ'),
  ...listed('[ ] ^ { } x{ $ | * 𝄞 😀x foo mfoo foobar aa abab abba - a- z _ # Ǆ ǆ ǅ Θ ϑ Straße'),
];

/** Patterns that must be translated. */
export const TRANSLATED = [
  '',
  ...listed(r`a a$ ^a$ ^$ $ ^ a\Z a\z \Aa \Ga ^\d$ ^\w$ ^\s$ ^\h$ ^\v$ ^\D$ ^\W$ ^\S$ ^\H$ ^\V$ ^\N$`),
  ...listed(r`\bfoo\b \Bfoo ^.$ ^.{2}$ ^[^a]$ [.] []] [^]] [a-c] [-a] [a-] [\d\-] [\]] [\\]`),
  ...listed(r`[[:alpha:]] [[:^alpha:]] [^[:space:]] [\w.] ^[\W]$ [\b] ^[\x00-\x1f]$ [^\0] [\Qa-c\E]`),
  ...listed(r`\Qa.b\E \Qa.b \Qab\E+ a\Eb \x41 \x{e9} \xe9 \o{141} \0141 \N{U+e9}`),
  ...listed(r`a|b (a|b)+ (?:ab)*c a| (|a)b () a{2} a{1,2}b a{1,}b x{ a} a+?b a*? a??b a{1,2}?b`),
  ...listed(r`(?=a) (?!a) (?<=a)b (?<!a)b (?<=a|b)b (?<=ab|ba) (a)\1 (a)(b)\2\1 (a)\g1 (a)\g{1}`),
  ...listed(r`(?<x>a)\k<x> (?P<x>a)(?P=x) (?'x'a)\k'x' (?#note)a a(?#note)+b (?i)ab a(?i)b a(?i:b)c`),
  ...listed(r`(?i)a(?-i)b (?s).b (?m)^b$`),
  '(?x) a b # note',
  ...listed(r`(?i:Σ) \cJ \e \. \- \_ \/ \{ ^é$ 𝄞 [𝄞😀] ^(?:a|b)$ a$|b (a$) (^a|b)$ [a-c-e] foo|(?!m)foo`),
  ...listed(r`^[k]$ ^[^k]$ ^[a-z]$ ^[Θ]$ ^ß$ ^ſ$ ^ı$ ^i$ ^µ$ ^ǅ$ [#] [[:upper:]] [^[:lower:]] [a[:upper:]]`),
];

/** Patterns that PCRE2 refuses, or that PostgreSQL could only answer wrongly. */
export const REFUSED = [
  ...listed(r`\mfoo \M \y \Y \i \j \q \L \U \u0041 \C \X \R \K \pL \p{Greek}`),
  ...listed(r`( ) [ [a [\d-z] [a-\d] [z-a] [[:nope:]] [[.a.]] [[=a=]] [[:<:]]a * +a a** a{2}{3}`),
  ...listed(r`a++ a*+ (?>a) (?|a) (?R) (?1) (?&x) (?(1)a) (?C) (*FAIL) (*UCP)a a\1 \1(a) (a\1) a{3,2}`),
  ...listed(r`a{1,300} (?<=a+)b (?i)(a)\1 ***:a ***=a (?z) a\ \x{110000} \x{d800} (?=(a))\1`),
  ...listed(r`(?<x>a)(?<x>b) a{,2}`),
];

/** Patterns and texts without spaces. */
function listed(text: string): string[] {
  return text.split(' ');
}
