/** Bytes of a text in an encoding that `TextEncoder` does not write, for tests. */
export function encoded(text: string, encoding: 'latin1' | 'utf-16le' | 'utf-16be'): Uint8Array<ArrayBuffer> {
  const codes = Array.from(text, sign => sign.charCodeAt(0));
  if (encoding === 'latin1') return Uint8Array.from(codes);
  const pairs = codes.map(code => [code & 0xff, code >> 8]);
  return Uint8Array.from(
    pairs.flatMap(([low = 0, high = 0]) => (encoding === 'utf-16le' ? [low, high] : [high, low])),
  );
}
