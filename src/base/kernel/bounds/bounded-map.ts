/**
 * A map of at most `limit` entries that approximates LRU (least recently used). Entries are in two generations. When
 * the younger one is full, the older one is evicted. An entry that is found in the older generation moves to the
 * younger one. A lookup in the younger generation costs as much as in a plain map.
 */
export class BoundedMap<K, V> {
  /** For the metrics. */
  readonly counts = { hits: 0, misses: 0, evictions: 0 };
  private young = new Map<K, V>();
  private old = new Map<K, V>();
  private readonly generation: number;

  constructor(limit: number) {
    this.generation = Math.ceil(limit / 2);
  }

  get(key: K): V | undefined {
    const value = this.young.get(key) ?? this.promoted(key);
    if (value === undefined) this.counts.misses += 1;
    else this.counts.hits += 1;
    return value;
  }

  set(key: K, value: V): void {
    this.old.delete(key);
    if (this.young.size >= this.generation && !this.young.has(key)) {
      this.counts.evictions += this.old.size;
      this.old = this.young;
      this.young = new Map();
    }
    this.young.set(key, value);
  }

  delete(key: K): void {
    this.young.delete(key);
    this.old.delete(key);
  }

  private promoted(key: K): V | undefined {
    const value = this.old.get(key);
    if (value !== undefined) this.set(key, value);
    return value;
  }
}
