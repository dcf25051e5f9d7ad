/** The encodings that files of spreadsheets have. */
export const ENCODINGS = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const;

export type Encoding = (typeof ENCODINGS)[number];

/**
 * The encoding of a text. A text that is valid UTF-8 is UTF-8, one with NUL bytes is UTF-16; every other text is read as
 * Western European, which never fails. `isWhole`: `head` does not end inside of the file.
 */
export function encodingOf(head: Uint8Array, isWhole: boolean): Encoding {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le';
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be';
  if (head.includes(0)) return head[0] === 0 ? 'utf-16be' : 'utf-16le';
  try {
    // A character may be cut at the end of the head.
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: !isWhole });
    return 'utf-8';
  } catch {
    return 'windows-1252';
  }
}

/** The beginning of files that are not text: Excel workbooks and other packages, PDF, gzip, old Excel. */
const NOT_TEXT = ['504b0304', '25504446', '1f8b', 'd0cf11e0'];

/** True for a file that begins as known formats do that are not text. */
export function isNotText(head: Uint8Array): boolean {
  const start = [...head.subarray(0, 4)].map(byte => byte.toString(16).padStart(2, '0')).join('');
  return NOT_TEXT.some(signature => start.startsWith(signature));
}
