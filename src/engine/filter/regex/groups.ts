import { fail, type Source, take } from './source.js';
import type { Pattern } from './tree.js';

const BACK =
  /\\(?:([1-9])(?!\d)|g([1-9]\d?)(?!\d)|g\{([1-9]\d?)\}|k(?:\{(\w+)\}|<(\w+)>|'(\w+)'))|\(\?P=(\w+)\)/y;

/** The groups of a pattern that capture, and the back references to them. */
export class Groups {
  // biome-ignore lint/plugin/bounded-maps: groups of one pattern
  private readonly names = new Map<string, number>();
  // biome-ignore lint/plugin/bounded-maps: groups of one pattern
  private readonly closed = new Set<number>();
  private count = 0;
  private looks = 0;
  private capturesInLook = false;
  private isReferred = false;

  /** True when the pattern has a back reference. */
  get hasBack(): boolean {
    return this.isReferred;
  }

  /** Reads what is inside a group, between its parentheses. The group can be referred to afterwards. */
  capturing(name: string | undefined, read: () => Pattern): Pattern {
    const number = ++this.count;
    if (name !== undefined) {
      if (this.names.has(name)) throw fail(`two groups have the name ${name}`);
      this.names.set(name, number);
    }
    if (this.looks > 0) this.capturesInLook = true;
    const inside = read();
    this.closed.add(number);
    return { kind: 'group', inside, captures: true };
  }

  /** Reads what is inside a lookahead or lookbehind. */
  looking(read: () => Pattern): Pattern {
    this.looks++;
    const inside = read();
    this.looks--;
    return inside;
  }

  /** Reads a back reference, if the source has one there. */
  reference(source: Source, ignoresCase: boolean): Pattern | undefined {
    const found = take(source, BACK);
    if (!found) return undefined;
    const [, digit, plain, braced, ...names] = found;
    const name = names.find(each => each !== undefined);
    const group = Number(digit ?? plain ?? braced ?? this.names.get(name ?? ''));
    if (!this.closed.has(group)) throw fail(`${found[0]} is no reference to a group that ends before it`);
    if (this.looks > 0) throw fail('a back reference in a lookaround is not supported');
    if (ignoresCase) throw fail('a back reference with the option i is not supported');
    this.isReferred = true;
    return { kind: 'back', group };
  }

  /** Throws for a pattern that PostgreSQL would number in another way. */
  requireEqualNumbers(): void {
    if (this.isReferred && this.capturesInLook)
      throw fail('a pattern with a group in a lookaround has no back references here');
  }
}
