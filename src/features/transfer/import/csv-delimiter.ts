import { invalid } from '../../../base/kernel/errors.js';

const DELIMITERS = [',', ';', '\t'] as const;
/** Only a delimiter of a header without the others, because names contain it more often than they do those. */
const RARE_DELIMITER = '|';
/** A first line that names the delimiter, which Excel writes and reads. */
export const SEP_LINE = /^"?sep=([,;\t|])"?(?:\r\n|\n|\r)/i;
/** Its line end may be CR LF. */
export const CUT_SEP_LINE = /^"?sep=[,;\t|]"?\r$/i;
const MAX_HEADER_LENGTH = 1024 * 1024;

/** The most frequent delimiter in the first line; undefined while the line is incomplete. */
export function delimiterOf(head: string, isLast: boolean): string | undefined {
  const unquoted = head.replace(/"[^"]*"?/g, '');
  const end = unquoted.search(/[\r\n]/);
  if (end < 0 && !isLast) {
    if (head.length > MAX_HEADER_LENGTH) throw invalid('The header (first line) is longer than 1 MiB.');
    return undefined;
  }
  const line = end < 0 ? unquoted : unquoted.slice(0, end);
  const counts = DELIMITERS.map(delimiter => line.split(delimiter).length);
  const most = Math.max(...counts);
  return most === 1 && line.includes(RARE_DELIMITER) ? RARE_DELIMITER : DELIMITERS[counts.indexOf(most)];
}

/** True for two lines that have as many semicolons or tabs as each other, which a title above them has not. */
export function areTable(line: string, next: string): boolean {
  return [';', '\t'].some(delimiter => {
    const { length } = line.split(delimiter);
    return length > 1 && length === next.split(delimiter).length;
  });
}

/** The text after `count` lines; undefined while they are incomplete. */
export function withoutLines(text: string, count: number, isLast: boolean): string | undefined {
  let at = 0;
  for (let skipped = 0; skipped < count; skipped++) {
    const end = /\r\n|\n|\r(?!$)/g;
    end.lastIndex = at;
    if (end.exec(text) === null) {
      if (text.length > MAX_HEADER_LENGTH)
        throw invalid('The lines before the header are longer than 1 MiB.');
      return isLast ? '' : undefined;
    }
    at = end.lastIndex;
  }
  return text.slice(at);
}
