import type { ColumnTypeName } from '../../columns/index.js';
import { SYSTEM_FIELDS } from '../../storage/collection-shape.js';
import type { SuggestedColumn } from '../schema-suggester.js';
import { MEANINGS, TYPE_NAMES, UNITS } from './vocabulary.js';
import { columnName, wordsOf } from './words.js';

/** A column that a phrase such as "annual revenue in EUR" or "email (unique, required)" asks for. */
export interface DescribedField extends SuggestedColumn {
  readonly name: string;
  readonly unique: boolean;
}

/** "We also want to store their phone number": what comes before the field. */
const REQUEST =
  /^(?:also |and |or |plus )*(?:(?:we|i|it|they|you|each|every one) )?(?:also )?(?:wants?|needs?|would like|should|must|has to|have to|includes?|stores?|tracks?) (?:to )?(?:also )?(?:(?:store|track|keep|record|include|have|know) )?(?:also )?(?=the |a |an |their |its |his |her |our |whether )/i;

/** Words before a field that are no part of its name. */
const LEADING = new Set(
  `a an the their its his her our your my each every some optional required unique mandatory also and or plus with
   whether it they to has have le la les un une des leur leurs son sa ses`.split(/\s+/),
);
const TRAILING = new Set('etc field fields column columns optional required unique mandatory'.split(' '));
const SCALES = new Set(['thousand', 'thousands', 'million', 'millions', 'billion', 'billions', 'of']);
const MAX_WORDS = 6;

/** Reads one phrase of a list of fields; undefined when it names none, or one that every record has anyway. */
export function describedField(phrase: string): DescribedField | undefined {
  const { head, note } = withoutNote(phrase);
  const words = trimmed(wordsOf(spelled(head.replace(REQUEST, ''))));
  const { measured, unit } = withoutUnit(words, wordsOf(spelled(note)));
  const name = columnName([...measured.words, ...measured.suffix]);
  if (name === undefined || measured.words.length > MAX_WORDS) return undefined;
  if (isSystemField(name) || isSystemField(phrase.trim())) return undefined;
  const said = wordsOf(phrase);
  const stated = statedType(note, wordsOf(head));
  return {
    name,
    type: stated ?? unit ?? typeOf(measured.words.join(' ')),
    nullable: !(said.includes('required') || said.includes('mandatory') || said.includes('unique')),
    unique: said.includes('unique'),
  };
}

/** What the words of a name tell of its type: text, unless they say otherwise. */
export function typeOf(words: string): ColumnTypeName {
  return MEANINGS.find(([pattern]) => pattern.test(words))?.[1] ?? 'text';
}

/** "price (EUR)", "born: date", "price as decimal": what is in brackets or behind the sign, apart. */
function withoutNote(phrase: string): { head: string; note: string } {
  const [, head = phrase, bracketed, behind] =
    /^([^([:]+)(?:[([]([^)\]]*)[)\]]?|:\s*(.*))?/.exec(phrase.replace(/ as (an? )?/i, ': ')) ?? [];
  return { head, note: bracketed ?? behind ?? '' };
}

/** Signs of units as words, and without what only explains a figure: "km/h", "%", "out of 100". */
function spelled(text: string): string {
  return text
    .replace(/\bkm\/h\b/gi, 'kmh')
    .replaceAll('%', ' percent ')
    .replaceAll('€', ' eur ')
    .replaceAll('$', ' usd ')
    .replace(/\bout of \d+\b/gi, ' ');
}

function trimmed(words: readonly string[]): readonly string[] {
  let [start, end] = [0, words.length];
  while (start < end && LEADING.has(words[start]!)) start++;
  while (end > start && TRAILING.has(words[end - 1]!)) end--;
  if (words.slice(start, end).join(' ') === 'so on') return [];
  const [first, ...rest] = words.slice(start, end);
  return first === 'are' ? ['is', ...rest] : first === undefined ? [] : [first, ...rest];
}

interface Measured {
  readonly measured: { readonly words: readonly string[]; readonly suffix: readonly string[] };
  readonly unit: ColumnTypeName | undefined;
}

/** "weight in kg" and "weight (kg)" are both `weight_kg`, "revenue in million EUR" is `revenue_million_eur`. */
function withoutUnit(words: readonly string[], note: readonly string[]): Measured {
  const at = Math.max(words.lastIndexOf('in'), words.lastIndexOf('en'));
  const behind = at > 0 ? unitType(words.at(-1)) : undefined;
  if (behind !== undefined && words.slice(at + 1, -1).every(word => SCALES.has(word))) {
    return { measured: { words: words.slice(0, at), suffix: words.slice(at + 1) }, unit: behind };
  }
  const noted = note.find(word => unitType(word) !== undefined && statedType(word, []) === undefined);
  return { measured: { words, suffix: noted === undefined ? [] : [noted] }, unit: unitType(noted) };
}

function unitType(word: string | undefined): ColumnTypeName | undefined {
  return word === undefined ? undefined : UNITS.find(([pattern]) => pattern.test(word))?.[1];
}

function statedType(note: string, head: readonly string[]): ColumnTypeName | undefined {
  const parts = [...note.split(/[,;/]/).map(part => wordsOf(part).join(' ')), wordsOf(note).join(' ')];
  const named = TYPE_NAMES.find(([pattern]) => parts.some(part => pattern.test(part)));
  return named?.[1] ?? (head.at(-1) === 'boolean' ? 'boolean' : undefined);
}

function isSystemField(name: string): boolean {
  return (SYSTEM_FIELDS as readonly string[]).includes(name);
}
