const MAX_COLUMN = 63;

/** The words of a text: lower case, without accents, `camelCase` taken apart; only `a-z 0-9` are left. */
export function wordsOf(text: string): string[] {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replace(/['’](s\b|(?=[a-z]))/g, ' ')
    .split(/[^a-z0-9]+/)
    .filter(word => word !== '');
}

/** Words as a column's name (`[A-Za-z_][A-Za-z0-9_]*`, at most 63 characters); undefined when no word is left. */
export function columnName(words: readonly string[]): string | undefined {
  const name = words.join('_').slice(0, MAX_COLUMN).replace(/_+$/, '');
  if (name === '') return undefined;
  return /^\d/.test(name) ? `_${name}`.slice(0, MAX_COLUMN) : name;
}
