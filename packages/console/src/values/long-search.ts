import { parseSearchWith, stringifySearchWith } from '@tanstack/react-router';

type Store = Pick<Storage, 'getItem' | 'setItem'>;

/** Longer values are kept in the tab: servers refuse addresses, and the `Referer` of requests, of more than 16 KiB. */
const MOST_CHARACTERS = 4_000;
const PREFIX = 'search:';
const MARK = '~';

/** True for a value that an address names, but that this tab does not have. */
export function isLost(value: unknown): boolean {
  return typeof value === 'string' && value.startsWith(MARK);
}

/** How addresses write and read their search part. A long value is a short name there, and a reload finds it again. */
export function longSearch(store: () => Store) {
  const parse = (text: string): unknown => {
    if (!isLost(text)) return JSON.parse(text);
    const kept = store().getItem(PREFIX + text.slice(MARK.length));
    if (kept === null) throw new Error('not of this tab');
    return JSON.parse(kept);
  };
  const stringify = (value: unknown): string => {
    const text = JSON.stringify(value);
    if (text.length <= MOST_CHARACTERS) return text;
    const name = nameOf(text);
    try {
      store().setItem(PREFIX + name, text);
    } catch {
      // The tab has no room: then the address is as long as it must be.
      return text;
    }
    return MARK + name;
  };
  return { parseSearch: parseSearchWith(parse), stringifySearch: stringifySearchWith(stringify, parse) };
}

/** The same text has the same name. */
function nameOf(text: string): string {
  let [one, other] = [0x811c9dc5, 0x01000193];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    one = Math.imul(one ^ code, 0x01000193);
    other = Math.imul(other ^ code, 0x85ebca6b);
  }
  return [one, other, text.length].map(part => (part >>> 0).toString(36)).join('-');
}
