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

/**
 * The number that a text writes in a locale: `1.234,5` in German, `1 234,5` in French, `1,234.5` in English. A decimal
 * comma is accepted everywhere where it cannot be read as one between thousands. Undefined if the text is not a number.
 */
export function numberIn(text: string, locale: string): number | undefined {
  const { decimal, group } = signsOf(locale);
  const compact = text.replace(/[\s\u00a0\u202f'’]/g, '').replace(/^[−–]/, '-');
  const ungrouped = isGrouped(compact, decimal, group) ? compact.replaceAll(group, '') : compact;
  return (
    plainNumber(ungrouped.replace(decimal, '.')) ?? plainNumber(compact.replace(/^([^.,]*),(\d*)$/, '$1.$2'))
  );
}

function isGrouped(text: string, decimal: string, group: string): boolean {
  if (!/^[.,]$/.test(group)) return false;
  const [whole = ''] = text.split(decimal);
  const [first = '', ...others] = whole.replace(/^[+-]/, '').split(group);
  return others.length > 0 && /^\d{1,3}$/.test(first) && others.every(part => /^\d{3}$/.test(part));
}

function plainNumber(text: string): number | undefined {
  const number = PLAIN.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(number) ? number + 0 : undefined;
}

/** A number with the decimal sign of the locale, and nothing between thousands. */
export function numberText(number: number, locale: string): string {
  return String(number).replace('.', signsOf(locale).decimal);
}
