import { Injectable } from '@nestjs/common';

/** A text seen this often gets a prepared statement; rarer ones are planned each time. */
const PREPARE_FROM = 3;
/** Texts remembered per process, and prepared statements a connection may hold before it is replaced. */
const MAX_TEXTS = 1_000;
const MAX_PER_CONNECTION = 500;

interface KnownText {
  uses: number;
  readonly name: string;
}

/** Names for prepared statements: equal text, equal name; a name is never used for another text. */
@Injectable()
export class PreparedNames {
  private readonly texts = new Map<string, KnownText>();
  private readonly held = new WeakMap<object, Set<string>>();
  private count = 0;

  /** The name under which to prepare a text; undefined while it is rare. */
  of(text: string): string | undefined {
    const known = this.texts.get(text) ?? this.remember(text);
    return ++known.uses >= PREPARE_FROM ? known.name : undefined;
  }

  /** True when a connection, counting this name, holds so many statements that it should be replaced. */
  isFull(connection: object, name: string): boolean {
    let names = this.held.get(connection);
    if (names === undefined) {
      names = new Set();
      this.held.set(connection, names);
    }
    names.add(name);
    return names.size > MAX_PER_CONNECTION;
  }

  /** Forgets the oldest text when there are too many: what is in use is soon remembered again, by a new name. */
  private remember(text: string): KnownText {
    if (this.texts.size >= MAX_TEXTS) this.texts.delete(this.texts.keys().next().value as string);
    const known = { uses: 0, name: `s${++this.count}` };
    this.texts.set(text, known);
    return known;
  }
}
