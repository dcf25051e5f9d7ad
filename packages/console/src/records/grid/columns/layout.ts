/** The personal layout of the grid of one collection. What a shared link shows is in the address instead. */
export interface GridLayout {
  /** Widths in pixels by column. */
  readonly widths: Readonly<Record<string, number>>;
  /** Columns that stay at the left side. */
  readonly pinned: readonly string[];
}

const NO_LAYOUT: GridLayout = { widths: {}, pinned: [] };

const MIN_WIDTH = 60;
const MAX_WIDTH = 1200;

function keyOf(collection: string): string {
  return `grid:${collection}`;
}

/** The stored layout of a collection, without whatever is not valid in it. */
export function readLayout(collection: string, storage: Pick<Storage, 'getItem'> = localStorage): GridLayout {
  try {
    const stored = JSON.parse(storage.getItem(keyOf(collection)) ?? 'null');
    if (typeof stored !== 'object' || stored === null) return NO_LAYOUT;
    const widths = Object.entries(stored.widths ?? {}).filter(([, width]) => typeof width === 'number');
    const pinned = Array.isArray(stored.pinned) ? stored.pinned : [];
    return {
      widths: Object.fromEntries(widths.map(([name, width]) => [name, withinWidths(width as number)])),
      pinned: pinned.filter((name: unknown) => typeof name === 'string'),
    };
  } catch {
    return NO_LAYOUT;
  }
}

/** Stores the layout. A browser without storage forgets it. */
export function writeLayout(
  collection: string,
  layout: GridLayout,
  storage: Pick<Storage, 'setItem'> = localStorage,
): void {
  try {
    storage.setItem(keyOf(collection), JSON.stringify(layout));
  } catch {
    // The storage is full or forbidden.
  }
}

export function withinWidths(width: number): number {
  return Math.min(Math.max(Math.round(width), MIN_WIDTH), MAX_WIDTH);
}
