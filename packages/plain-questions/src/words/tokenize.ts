import type { Language } from '../plan.js';

/** A word, number or quoted text of a question. */
export interface Token {
  /** The text as it was written. */
  readonly text: string;
  /** The text in lower case without accents; a quoted text is unchanged. */
  readonly word: string;
  /** Set for a number in digits. */
  readonly number?: number;
  readonly quoted?: true;
}

/** Lower case, no accents, no ligatures: `Été` → `ete`, `cœur` → `coeur`. */
export function fold(text: string): string {
  return text
    .replace(/iés(?!\p{L})/giu, 'ie') // otherwise `salariés` would become the plural of `salary`
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll('œ', 'oe')
    .replaceAll('æ', 'ae');
}

/** No quoted text contains its opening sign: otherwise the search would go to the end of the text from each of them. */
const QUOTED = /"([^"]+)"|“([^“”]+)”|«([^«»]+)»|(?<![\p{L}\p{N}])'([^']+)'(?![\p{L}\p{N}])/u;
const DATE = /(?<![\p{L}\p{N}])(?:\d{4}-\d{2}-\d{2}|\d{1,2}[/.]\d{1,2}[/.]\d{4})(?![\p{L}\p{N}])/u;
const GROUPED = /(?<![\p{L}\p{N}])-?\d{1,3}(?:[ \u00a0\u202f]\d{3})+(?:[.,]\d+)?(?![\p{L}\p{N}])/u;
const PLAIN = /(?<![\p{L}\p{N}])-?\.?\d+(?:[.,]\d+)*(?![\p{L}\p{N}])/u;
/** Elisions (`l'`, `qu'`), words with digits (`P1`, `10k`, `C++`), and each sign that could change the meaning. */
const WORD = /\p{L}+'(?=\p{L}|$)|[\p{L}\p{N}\p{M}]+[+#]*|[<>=≥≤!]+|[\p{S}%&,/*]/u;
const PIECES = new RegExp(
  `${QUOTED.source}|(${DATE.source})|(${GROUPED.source}|${PLAIN.source})|(${WORD.source})`,
  'gu',
);

/**
 * Splits a question into words, numbers, dates and quoted texts. Other signs between words (`-`, `_`, `.`, `@`) part them,
 * in the values of records too, so that `in_progress` is found as "in progress".
 */
export function tokenize(text: string, language: Language = 'en'): Token[] {
  return [...spelledOut(text).matchAll(PIECES)].map(match => {
    // French puts spaces inside its quotation marks.
    const quoted = match[1] ?? match[2] ?? (match[3]?.trim() || match[3]) ?? match[4];
    const [date, number, word] = match.slice(5);
    if (quoted !== undefined) return { text: quoted, word: quoted, quoted: true };
    if (number !== undefined) {
      const value = numberOf(number.replace(/[ \u00a0\u202f]/g, ''), language);
      return { text: number, word: fold(number), ...(value !== undefined && { number: value }) };
    }
    return { text: date ?? word!, word: fold(date ?? word!) };
  });
}

/**
 * Expands English contractions. The possessive `'s` is dropped, because the order of the words has the same meaning.
 */
function spelledOut(text: string): string {
  return text
    .replace(/[’ʼ]/g, "'")
    .replace(/\b(ca|wo)n't\b/gi, 'not')
    .replace(/n't\b/gi, ' not')
    .replace(/'(s|re|ve|d|ll)\b/gi, ' ')
    .replace(/(?<=s)'(?=\s|$)/g, ' ');
}

/** Undefined if thousands and decimals cannot be distinguished: `1.500` in either language, `1,5` in English. */
function numberOf(text: string, language: Language): number | undefined {
  const [thousands, decimal] = language === 'en' ? [',', '.'] : ['.', ','];
  if (/^-?\d+$/.test(text)) return Number(text);
  const grouped = new RegExp(`^-?\\d{1,3}(?:\\${thousands}\\d{3})+(?:\\${decimal}\\d+)?$`);
  const fraction = new RegExp(`^-?\\d+\\${decimal}\\d+$`);
  const ambiguous = (language === 'fr' ? /^-?\d{1,3}[.,]\d{3}$/ : /^-?[1-9]\d{0,2}\.\d{3}$/).test(text);
  if (ambiguous) return undefined;
  if (grouped.test(text) || fraction.test(text))
    return Number(text.replaceAll(thousands, '').replace(decimal, '.'));
  return language === 'fr' && /^-?\d+\.\d+$/.test(text) ? Number(text) : undefined;
}
