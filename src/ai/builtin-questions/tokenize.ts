/** A word, number or quoted text of a question. */
export interface Token {
  /** As it was written. */
  readonly text: string;
  /** Without case and accents; a quoted text as it is. */
  readonly word: string;
  /** Set for a number in digits. */
  readonly number?: number;
  readonly quoted?: true;
}

/** What decides how `1,500` and `1.500` read. */
export type Language = 'en' | 'fr';

/** Lower case, no accents, no ligatures: `Été` → `ete`, `cœur` → `coeur`. */
export function fold(text: string): string {
  return text
    .replace(/iés(?!\p{L})/giu, 'ie') // else `salariés` would be the plural of `salary`
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll('œ', 'oe')
    .replaceAll('æ', 'ae');
}

const QUOTED = /"([^"]+)"|“([^”]+)”|«\s*([^»]+?)\s*»|(?<![\p{L}\p{N}])'([^']+)'(?![\p{L}\p{N}])/u;
const DATE = /(?<![\p{L}\p{N}])(?:\d{4}-\d{2}-\d{2}|\d{1,2}[/.]\d{1,2}[/.]\d{4})(?![\p{L}\p{N}])/u;
const GROUPED = /(?<![\p{L}\p{N}])-?\d{1,3}(?:[ \u00a0\u202f]\d{3})+(?:[.,]\d+)?(?![\p{L}\p{N}])/u;
const PLAIN = /(?<![\p{L}\p{N}])-?\.?\d+(?:[.,]\d+)*(?![\p{L}\p{N}])/u;
/** Elisions (`l'`, `qu'`), words with digits (`P1`, `10k`, `C++`), and every sign that could change a meaning. */
const WORD = /\p{L}+'(?=\p{L}|$)|[\p{L}\p{N}\p{M}]+[+#]*|[<>=≥≤!]+|[\p{S}%&,/*]/u;
const PIECES = new RegExp(
  `${QUOTED.source}|(${DATE.source})|(${GROUPED.source}|${PLAIN.source})|(${WORD.source})`,
  'gu',
);

/**
 * Cuts a question into words, numbers, dates and quoted texts. Whatever else joins words (`-`, `_`, `.`, `@`) parts
 * them, in the values of records too, so that `in_progress` is found as "in progress".
 */
export function tokenize(text: string, language: Language = 'en'): Token[] {
  return [...spelledOut(text).matchAll(PIECES)].map(match => {
    const quoted = match.slice(1, 5).find(each => each !== undefined);
    const [date, number, word] = match.slice(5);
    if (quoted !== undefined) return { text: quoted, word: quoted, quoted: true };
    if (number !== undefined) return numberToken(number, language);
    return { text: date ?? word!, word: fold(date ?? word!) };
  });
}

/** English contractions in full; `'s` of a possessor says nothing that the order of words does not. */
function spelledOut(text: string): string {
  return text
    .replace(/[’ʼ]/g, "'")
    .replace(/\b(ca|wo)n't\b/gi, 'not')
    .replace(/n't\b/gi, ' not')
    .replace(/'(s|re|ve|d|ll)\b/gi, ' ')
    .replace(/(?<=s)'(?=\s|$)/g, ' ');
}

function numberToken(text: string, language: Language): Token {
  const number = numberOf(text.replace(/[ \u00a0\u202f]/g, ''), language);
  return { text, word: fold(text), ...(number === undefined ? {} : { number }) };
}

/** Undefined where thousands and decimals cannot be told apart: `1.500` in either language, `1,5` in English. */
function numberOf(text: string, language: Language): number | undefined {
  const [thousands, decimal] = language === 'en' ? [',', '.'] : ['.', ','];
  if (/^-?\d+$/.test(text)) return Number(text);
  const grouped = new RegExp(`^-?\\d{1,3}(?:\\${thousands}\\d{3})+(?:\\${decimal}\\d+)?$`);
  const fraction = new RegExp(`^-?\\d+\\${decimal}\\d+$`);
  const ambiguous = (language === 'fr' ? /^-?\d{1,3}[.,]\d{3}$/ : /^-?[1-9]\d{0,2}\.\d{3}$/).test(text);
  if (ambiguous) return undefined;
  if (!grouped.test(text) && !fraction.test(text)) {
    return language === 'fr' && /^-?\d+\.\d+$/.test(text) ? Number(text) : undefined;
  }
  return Number(text.replaceAll(thousands, '').replace(decimal, '.'));
}

const IRREGULAR: ReadonlyMap<string, string> = new Map([
  ['people', 'person'],
  ['children', 'child'],
  ['men', 'man'],
  ['women', 'woman'],
  ['statuses', 'status'],
  ['bonuses', 'bonus'],
  ['pays', 'pays'],
]);

/** The singular of a folded word, near enough for comparing two words that are both passed through it. */
export function singular(word: string): string {
  const one = IRREGULAR.get(word) ?? withoutPlural(word);
  // French participles and nouns, so that `embauchées`, `embauchés` and `embauche` are one.
  const masculine = one.length > 3 && one.endsWith('ee') ? one.slice(0, -1) : one;
  return masculine.endsWith('che') ? masculine.slice(0, -1) : masculine;
}

function withoutPlural(word: string): string {
  if (word.length < 4 || word.endsWith('ss')) return word;
  if (word.endsWith('ies') && word.length > 4) return `${word.slice(0, -3)}y`;
  if (/(?:x|ch|sh|ss)es$/.test(word)) return word.slice(0, -2);
  if (word.endsWith('aux') && !word.endsWith('eaux')) return `${word.slice(0, -3)}al`;
  if (word.endsWith('eaux')) return word.slice(0, -1);
  if (word.endsWith('us') || word.endsWith('is')) return word;
  return word.endsWith('s') ? word.slice(0, -1) : word;
}
