/** A value as one part of a path. `.` and `..` would lead to another path, even percent-encoded. */
export function pathPart(name: string, value: unknown): string {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  if (/^\.{0,2}$/.test(text)) throw new TypeError(`${name}: expects the name or id of one resource`);
  return encodeURIComponent(text);
}
