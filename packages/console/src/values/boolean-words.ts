const YES: ReadonlySet<string> = new Set(['true', 'yes', 'y', 'oui', 'vrai', 'o', 'wahr', 'ja', '1', 'x']);
const NO: ReadonlySet<string> = new Set(['false', 'no', 'n', 'non', 'faux', 'falsch', 'nein', '0']);

/** What a word of English, French or German says in a column of truth values. Undefined if it says neither. */
export function booleanIn(text: string): boolean | undefined {
  const word = text.trim().toLowerCase();
  if (YES.has(word)) return true;
  return NO.has(word) ? false : undefined;
}
