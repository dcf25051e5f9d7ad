import type { Field } from './fields.js';
import type { KnownValues } from './known-values.js';
import type { Language } from './tokenize.js';

/** What a question is held against. */
export interface Ground {
  readonly language: Language;
  readonly today: string;
  readonly fields: readonly Field[];
  readonly values: KnownValues;
  /** The words of the collection's name. */
  readonly entity: readonly string[];
}
