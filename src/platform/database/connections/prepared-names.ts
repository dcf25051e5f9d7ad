import { hash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { BoundedMap } from '../../../base/kernel/bounds/bounded-map.js';
import { isPlannedEachTime } from '../../../base/sql/index.js';

/** A text is prepared at this use; rarer texts are planned each time. */
const PREPARE_FROM = 3;
/** Texts that are kept per process. */
const MAX_TEXTS = 10_000;
/** Texts that were seen once, as digests; they are kept at their second use. */
const MAX_SEEN_ONCE = 10_000;

/** How many statements a connection runs until it is replaced. */
export interface ConnectionLimits {
  /** Prepared statements. PostgreSQL keeps 80 kB for one that writes, and 30 kB for a read by id with its table. */
  readonly prepared: number;
  /**
   * Rare statements. Each may be about another table, and PostgreSQL keeps the metadata of a table, 20 to 30 kB, for the
   * life of the connection.
   */
  readonly rare: number;
}

const POOLED: ConnectionLimits = { prepared: 500, rare: 1_000 };

interface KeptText {
  uses: number;
  readonly name: string;
}

/** The statements that one connection has sent. */
interface Held {
  readonly names: Set<string>;
  rare: number;
}

/**
 * Names for prepared statements: equal texts have equal names, and a name is never used for another text, by no other
 * process either: a pooler that does not know prepared statements may give a process the connection of another one. A name
 * of that one would be another text, perhaps about the records of another organization. Only texts
 * that come a second time are kept, and texts in use are not evicted, so many different queries do not displace
 * frequent ones.
 */
@Injectable()
export class PreparedNames {
  private readonly texts = new BoundedMap<string, KeptText>(MAX_TEXTS);
  // biome-ignore lint/plugin/bounded-maps: at most MAX_SEEN_ONCE
  private readonly seenOnce = new Set<string>();
  private readonly held = new WeakMap<object, Held>();
  private readonly prefix = `s${randomBytes(6).toString('base64url')}_`;
  private count = 0;

  /** Hits and misses, for the metrics. */
  get counts() {
    return this.texts.counts;
  }

  /** The name for a text; undefined for a text that should not be prepared: a rare one, or one to plan each time. */
  of(text: string): string | undefined {
    const kept = this.texts.get(text) ?? this.admit(text);
    return kept !== undefined && ++kept.uses >= PREPARE_FROM ? kept.name : undefined;
  }

  /**
   * Forgets a text whose preparation failed. The server does not know its name then, but PgBouncer regards the name as
   * used and closes a connection that sends it again.
   */
  forget(text: string): void {
    this.texts.delete(text);
  }

  /** Counts a statement of a connection; true when the connection keeps so much metadata that it should be replaced. */
  isFull(connection: object, name: string | undefined, limits = POOLED): boolean {
    let held = this.held.get(connection);
    if (held === undefined) {
      held = { names: new Set(), rare: 0 };
      this.held.set(connection, held);
    }
    if (name === undefined) held.rare += 1;
    else held.names.add(name);
    return held.names.size > limits.prepared || held.rare > limits.rare;
  }

  /** Undefined the first time that a text is seen. */
  private admit(text: string): KeptText | undefined {
    const digest = hash('sha1', text);
    if (!this.seenOnce.delete(digest)) {
      if (this.seenOnce.size >= MAX_SEEN_ONCE)
        this.seenOnce.delete(this.seenOnce.keys().next().value as string);
      this.seenOnce.add(digest);
      return undefined;
    }
    const kept = {
      uses: isPlannedEachTime(text) ? Number.NEGATIVE_INFINITY : 1,
      name: `${this.prefix}${++this.count}`,
    };
    this.texts.set(text, kept);
    return kept;
  }
}
