import type { Chrono } from 'chrono-node';
import type { Field } from './fields/fields.js';
import type { KnownValues } from './fields/values.js';
import type { Lexicon } from './lexicon/lexicon.js';
import type { Language } from './plan.js';
import { isThing } from './words/things.js';

/** What a question is compared with: the fields and values of one collection. */
export interface Context {
  readonly language: Language;
  readonly lexicon: Lexicon;
  readonly chrono: Chrono;
  readonly today: string;
  readonly fields: readonly Field[];
  readonly values: KnownValues;
  /** The last word of the collection's name, which is what its records are called. */
  readonly entity: readonly string[];
}

export const numbersOf = ({ fields }: Context): Field[] => fields.filter(({ kind }) => kind === 'number');

/** Number columns that hold how many pieces a record is about, such as `quantity`. */
export function piecesOf(context: Context): Field[] {
  return numbersOf(context).filter(({ words }) => words.some(word => isThing(word, 'pieces')));
}

/** Number columns whose sum may be meant as well as a count: "who bought most?" */
export function addedOf(context: Context): Field[] {
  const isWorth = ({ words }: Field) =>
    words.some(word => isThing(word, 'worth')) && !words.some(word => isThing(word, 'notWorth'));
  return [...numbersOf(context).filter(isWorth), ...piecesOf(context)];
}
