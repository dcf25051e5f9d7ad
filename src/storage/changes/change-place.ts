/** Position of a change in the feed of its collection. Both numbers grow and stay below 2^53. */
export interface Place {
  readonly xid: number;
  readonly seq: number;
}

/** Negative when `a` is before `b`. */
export function comparePlaces(a: Place, b: Place): number {
  return a.xid - b.xid || a.seq - b.seq;
}
