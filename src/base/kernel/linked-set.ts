/** A member of a `LinkedSet`. Only the set changes these fields. It is in one set at most. */
export interface Linked<T> {
  previous: T | undefined;
  next: T | undefined;
}

/**
 * A set in the order of insertion, linked through its members, for sets that change with each request. V8 would keep the
 * garbage of a `Set`: docs/decisions/0075-garbage-and-memory.md.
 */
export class LinkedSet<T extends Linked<T>> {
  /** The other members are `first.next` and so on. */
  first: T | undefined;
  private last: T | undefined;

  /** Adds a member at the end. A member that is there already keeps its place. */
  add(member: T): void {
    if (this.has(member)) return;
    member.previous = this.last;
    if (this.last === undefined) this.first = member;
    else this.last.next = member;
    this.last = member;
  }

  /** Does nothing when it is not a member. */
  delete(member: T): void {
    if (!this.has(member)) return;
    const { previous, next } = member;
    if (previous === undefined) this.first = next;
    else previous.next = next;
    if (next === undefined) this.last = previous;
    else next.previous = previous;
    member.previous = undefined;
    member.next = undefined;
  }

  /** Moves a member behind all others. */
  moveToEnd(member: T): void {
    if (member === this.last || !this.has(member)) return;
    this.delete(member);
    this.add(member);
  }

  private has(member: T): boolean {
    return member.previous !== undefined || member === this.first;
  }
}
