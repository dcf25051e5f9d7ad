import { Injectable } from '@nestjs/common';
import { BoundedMap } from '../../kernel/bounded-map.js';

/** A text seen this often gets a prepared statement; rarer ones are planned each time. */
const PREPARE_FROM = 3;
/** Texts remembered per process, and prepared statements a connection may hold before it is replaced. */
const MAX_TEXTS = 2_000;
const MAX_PER_CONNECTION = 500;
/** Texts of the doorkeeper: seen once, and admitted when they come a second time. */
const MAX_SEEN_ONCE = 1_000;
/**
 * Rare statements that a connection may run before it is replaced. Each may be about a table that it has not met: what
 * PostgreSQL learns of one, some 20 to 30 kB, it keeps for as long as the connection lives.
 */
const MAX_RARE_PER_CONNECTION = 1_000;

interface KnownText {
  uses: number;
  readonly name: string;
}

/** What a connection has been asked for. */
interface Held {
  readonly names: Set<string>;
  rare: number;
}

/**
 * Names for prepared statements: equal text, equal name; a name is never used for another text. A text is remembered when it
 * comes for the second time, and one that is in use is not evicted: queries of many shapes cost others nothing.
 */
@Injectable()
export class PreparedNames {
  private readonly texts = new BoundedMap<string, KnownText>(MAX_TEXTS);
  private readonly seenOnce = new Set<string>();
  private readonly held = new WeakMap<object, Held>();
  private count = 0;

  /** How often a text was known, for the metrics. */
  get counts() {
    return this.texts.counts;
  }

  /** The name under which to prepare a text; undefined while it is rare. */
  of(text: string): string | undefined {
    const known = this.texts.get(text) ?? this.admit(text);
    return known !== undefined && ++known.uses >= PREPARE_FROM ? known.name : undefined;
  }

  /**
   * For a statement that could not be prepared. The server does not know its name then, but PgBouncer takes it for used and
   * ends the connection that comes with it again.
   */
  forget(text: string): void {
    this.texts.delete(text);
  }

  /** True when a connection, counting the statement just run, remembers so much that it should be replaced. */
  isFull(connection: object, name: string | undefined): boolean {
    let held = this.held.get(connection);
    if (held === undefined) {
      held = { names: new Set(), rare: 0 };
      this.held.set(connection, held);
    }
    if (name === undefined) held.rare += 1;
    else held.names.add(name);
    return held.names.size > MAX_PER_CONNECTION || held.rare > MAX_RARE_PER_CONNECTION;
  }

  /** Undefined at the first sight of a text. */
  private admit(text: string): KnownText | undefined {
    if (!this.seenOnce.delete(text)) {
      if (this.seenOnce.size >= MAX_SEEN_ONCE)
        this.seenOnce.delete(this.seenOnce.keys().next().value as string);
      this.seenOnce.add(text);
      return undefined;
    }
    const known = { uses: 1, name: `s${++this.count}` };
    this.texts.set(text, known);
    return known;
  }
}
