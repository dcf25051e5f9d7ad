/** Control characters could move the cursor or change colors. The others could change the order of what is shown. */
const ACTIVE = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
const REPLACEMENT = '\ufffd';

/** One line of text without characters that a terminal acts on. */
export function printable(text: string): string {
  return text.replace(/\s/g, ' ').replace(ACTIVE, REPLACEMENT);
}

/** Text of several lines without characters that a terminal acts on. */
export function printableLines(text: string): string {
  return text
    .replace(/\r\n/g, '\n')
    .replace(ACTIVE, character => (character === '\n' || character === '\t' ? character : REPLACEMENT));
}

/** JSON whose control characters are all written as escapes; those above U+007F are not by `JSON.stringify`. */
export function jsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(ACTIVE, character =>
    character === '\n' ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Characters that take two columns of a terminal: East Asian wide ones and emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f000}-\u{1faff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;
const characters = new Intl.Segmenter();

/** The columns of a terminal that a text takes. */
export function widthOf(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of characters.segment(text)) width += WIDE.test(segment) ? 2 : 1;
  return width;
}

/** The beginning of a text that takes at most so many columns, with `…` if it is cut. */
export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let kept = '';
  let used = 1;
  for (const { segment } of characters.segment(text)) {
    used += WIDE.test(segment) ? 2 : 1;
    if (used > width) break;
    kept += segment;
  }
  return `${kept}…`;
}
