import type { Tools } from '../plan.js';
import { isJoiningWord, key, synonyms } from '../words/things.js';
import { fold, tokenize } from '../words/tokenize.js';
import type { Field } from './fields.js';

/** Values of one field with the same words, such as `Paris` and `PARIS`. */
export interface ValueMatch {
  readonly field: Field;
  readonly values: readonly string[];
}

interface Known {
  readonly field: Field;
  readonly value: string;
  /** Its words, in lower case and without accents. */
  readonly words: readonly string[];
  readonly key: string;
}

/**
 * The number of values that `distinct` returns. Values beyond this limit are not found, and a question that names one
 * is refused.
 */
const MAX_VALUES = 1_000;
const MAX_FIELDS = 40;
/** Longer values are prose. They are found only if the question quotes them. */
const MAX_WORDS = 8;

/** The values of a collection's text and list fields, found by the words of a question. */
export class KnownValues {
  private readonly byKey = new Map<string, Known[]>();

  private constructor(
    private readonly all: readonly Known[],
    /** The fields whose values could not be read in time. */
    readonly unread: readonly Field[],
  ) {
    for (const each of all) this.byKey.set(each.key, [...(this.byKey.get(each.key) ?? []), each]);
  }

  static async of(fields: readonly Field[], tools: Pick<Tools, 'knownValues'>): Promise<KnownValues> {
    const asked = fields.filter(({ kind }) => kind === 'text' || kind === 'list').slice(0, MAX_FIELDS);
    const known: Known[] = [];
    const unread: Field[] = [];
    for (const field of asked) {
      const values = await tools.knownValues(field.name, MAX_VALUES);
      if (values === undefined) unread.push(field);
      for (const value of values ?? []) {
        if (typeof value !== 'string') continue;
        const words = tokenize(value).map(({ word }) => fold(word));
        known.push({ field, value, words, key: key(words) });
      }
    }
    return new KnownValues(known, unread);
  }

  /** The values that these words name: as written, else in singular or plural, else in the other language. */
  named(words: readonly string[]): ValueMatch[] {
    if (words.length > MAX_WORDS) return [];
    const wanted = key(words);
    const sameKey = this.byKey.get(wanted) ?? [];
    const exact = sameKey.filter(known => known.words.join(' ') === words.join(' '));
    if (exact.length > 0) return byField(exact);
    if (isJoiningWord(words[0]!) || isJoiningWord(words.at(-1)!)) return [];
    return byField(
      sameKey.length > 0 ? sameKey : synonyms(wanted).flatMap(other => this.byKey.get(other) ?? []),
    );
  }

  /** The values that equal this text, ignoring case and accents. */
  quoted(text: string): ValueMatch[] {
    return byField(this.all.filter(({ value }) => fold(value) === fold(text)));
  }

  /** Some values of a field, as examples in a refusal. */
  of(field: Field): string[] {
    return this.all.filter(known => known.field === field).map(({ value }) => value);
  }

  /** Values that contain the word, as suggestions in a refusal. */
  like(word: string): string[] {
    return this.all.flatMap(({ words, value }) => (words.includes(word) ? [value] : []));
  }
}

function byField(found: readonly Known[]): ValueMatch[] {
  const fields = [...new Set(found.map(({ field }) => field))];
  const of = (field: Field) => found.filter(known => known.field === field).map(({ value }) => value);
  return fields.map(field => ({ field, values: of(field) }));
}
