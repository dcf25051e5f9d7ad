/** Something that the palette opens or does. */
export interface Entry {
  readonly id: string;
  readonly group: 'collections' | 'pages' | 'actions';
  readonly label: string;
  /** A second line, for example a description. */
  readonly hint?: string | undefined;
  readonly run: () => void;
}

/** The entries that contain every word of the text, whatever its case and accents, in their order. */
export function matching(entries: readonly Entry[], text: string): readonly Entry[] {
  const words = folded(text).split(/\s+/).filter(Boolean);
  return entries.filter(({ label, hint = '' }) => {
    const said = folded(`${label} ${hint}`);
    return words.every(word => said.includes(word));
  });
}

function folded(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

/** The next place in a list of so many entries, which is a circle. */
export function moved(place: number, key: string, count: number): number | undefined {
  if (count === 0) return undefined;
  if (key === 'ArrowDown') return (place + 1) % count;
  if (key === 'ArrowUp') return (place + count - 1) % count;
  if (key === 'Home') return 0;
  if (key === 'End') return count - 1;
  return undefined;
}
