interface Key {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly defaultPrevented: boolean;
}

const STORED = 'single-key-shortcuts';

/** False if this browser was told to ignore shortcuts of a single character (WCAG 2.1.4). */
export function hasSingleKeys(): boolean {
  return localStorage.getItem(STORED) !== 'off';
}

export function chooseSingleKeys(on: boolean): void {
  if (on) localStorage.removeItem(STORED);
  else localStorage.setItem(STORED, 'off');
}

/** What a key opens. Without `singleKeys`, for example while somebody types, only keys with Ctrl or ⌘ count. */
export function commandOf(pressed: Key, singleKeys: boolean): 'palette' | 'shortcuts' | undefined {
  const { key, ctrlKey, metaKey, altKey, defaultPrevented } = pressed;
  if (defaultPrevented || altKey) return undefined;
  if ((ctrlKey || metaKey) && key.toLowerCase() === 'k') return 'palette';
  if (key === '?' && !ctrlKey && !metaKey && singleKeys) return 'shortcuts';
  return undefined;
}
