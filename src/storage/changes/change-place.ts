/** Where a change lies in the feed of its collection. Both grow; PostgreSQL gives out fewer than 2^53 of either. */
export interface Place {
  readonly xid: number;
  readonly seq: number;
}

/** Negative when `a` lies before `b`. */
export function comparePlaces(a: Place, b: Place): number {
  return a.xid - b.xid || a.seq - b.seq;
}
