interface Signs {
  readonly decimal: string;
  readonly group: string;
}

const signs = new Map<string, Signs>();

function signsOf(locale: string): Signs {
  let known = signs.get(locale);
  if (known === undefined) {
    const parts = new Intl.NumberFormat(locale).formatToParts(1234567.5);
    const sign = (type: Intl.NumberFormatPartTypes) => parts.find(part => part.type === type)?.value ?? '';
    known = { decimal: sign('decimal'), group: sign('group') };
    signs.set(locale, known);
  }
  return known;
}

const PLAIN = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
/** Spaces and apostrophes between thousands, as in `1 234,5` and `1’234.5`. They are never decimal signs. */
const SPACED = /^([+-]?)([1-9]\d{0,2}(?:[\s\u00a0\u202f'’]\d{3})+)(?=[.,]|$)/;
const GROUPED = { '.': /^[+-]?[1-9]\d{0,2}(\.\d{3})+$/, ',': /^[+-]?[1-9]\d{0,2}(,\d{3})+$/ };

/**
 * The number that a text writes in a locale: `1.234,5` in German, `1 234,5` in French, `1,234.5` in English. The decimal
 * signs of other locales are accepted where they cannot stand between thousands. Undefined if the text is not a number,
 * or if it can be read as two: `1.234` in German is what the grid shows for 1.234, and what people write for 1234.
 */
export function numberIn(text: string, locale: string): number | undefined {
  return isAmbiguous(text, locale) ? undefined : numberOf(text, locale);
}

/** As `numberIn`, for a column of whole numbers: there a sign before three digits can only stand between thousands. */
export function wholeNumberIn(text: string, locale: string): number | undefined {
  const number = numberOf(text, locale);
  return Number.isSafeInteger(number) ? number : undefined;
}

/** True if the text is a number with one sign that is a decimal sign, or one between thousands. */
export function isAmbiguous(text: string, locale: string): boolean {
  const { group } = signsOf(locale);
  const compact = compactOf(text);
  return isGroupSign(group) && GROUPED[group].test(compact) && compact.split(group).length === 2;
}

function numberOf(text: string, locale: string): number | undefined {
  const { decimal, group } = signsOf(locale);
  const compact = compactOf(text);
  const [whole = ''] = compact.split(decimal);
  const isGrouped = isGroupSign(group) && GROUPED[group].test(whole);
  const ungrouped = isGrouped ? compact.replaceAll(group, '') : compact;
  return (
    plainNumber(ungrouped.replace(decimal, '.')) ?? plainNumber(compact.replace(/^([^.,]*),(\d*)$/, '$1.$2'))
  );
}

function compactOf(text: string): string {
  return text
    .trim()
    .replace(/^[−–]/, '-')
    .replace(SPACED, (_, sign: string, digits: string) => sign + digits.replace(/\D/g, ''));
}

function isGroupSign(sign: string): sign is '.' | ',' {
  return sign === '.' || sign === ',';
}

function plainNumber(text: string): number | undefined {
  const number = PLAIN.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(number) ? number + 0 : undefined;
}

/** A number with the decimal sign of the locale, and nothing between thousands. */
export function numberText(number: number, locale: string): string {
  return String(number).replace('.', signsOf(locale).decimal);
}

/** A computed number without the noise of binary fractions: 26403.77 for 26403.770000000008. Whole numbers stay exact. */
export function withoutNoise(number: number): number {
  return Number.isInteger(number) ? number : Number(number.toPrecision(15));
}
