import type { ColumnTypeName } from '../../../engine/columns/index.js';
import { isSystemField } from '../../../engine/storage/collection-shape.js';
import type { SuggestedColumn } from '../schema-suggester.js';
import { IDENTITIES, IDENTITIES_OF, MEANINGS, OWN_NUMBER, TOPICS, TYPE_NAMES, UNITS } from './vocabulary.js';

const MAX_NAME_WORDS = 3;
const MAX_NAME = 64;
/** Limits the work for long descriptions. No real list of fields is longer. */
const MAX_FIELDS = 200;

/** Separates what the records are about from the list of their fields. */
const MARKER =
  /\b(?:with|having|including|includes?|containing|contains?|each has|has|have|that have|which have|fields? (?:are|like)?|columns? (?:are|like)?|consisting of|storing|tracking|keeping|namely|such as|described by|avec|contenant|comprenant|ayant)\b[\s:]*|:\s*/i;

/** Words of a request that do not name what the records are about. */
const ASKING = new Set(
  `a an the my our your their i we you want wants need needs would like to please create make build design suggest
   define set up table collection fields columns list database dataset data records record log catalog catalogue
   register registry inventory directory schema for of about all every each some keep store save track manage tracking storing keeping
   managing that which who this these those information info details is are be can could us me it its one new simple
   small large big in from by at on per and or with so
   je nous veux voulons besoin une un le la les des du de d mes nos liste base donnees pour suivre gerer creer table
   collection catalogue avec et`.split(/\s+/),
);

export interface DescribedSchema {
  readonly name: string;
  readonly fields: readonly DescribedField[];
}

/** The collection and the fields that a description asks for. The same words always give the same schema. */
export function describedSchema(description: string): DescribedSchema {
  const { thing, list } = parted(description);
  const words = wordsOf(thing).filter(word => !ASKING.has(word));
  const alone = list === '' ? describedField(thing) : undefined;
  // "annual revenue in EUR" is itself a field.
  const named = alone !== undefined && alone.type !== 'text' ? [alone] : fieldsIn(list);
  const fields = named.length > 0 ? named : fieldsIn(usualFields(words));
  return {
    name: collectionName(words),
    fields: fields.map(field => ({ ...field, unique: field.unique || isIdentity(field.name, words) })),
  };
}

/** True for a column that identifies a record; `thing` are the words for what the records are about. */
export function isIdentity(column: string, thing: readonly string[]): boolean {
  if (IDENTITIES.test(column)) return true;
  const last = thing.at(-1) ?? '';
  if (OWN_NUMBER.test(column) && column.replace(OWN_NUMBER, '') === last.replace(/s$/, '')) return true;
  return IDENTITIES_OF.some(([about, columns]) => about.test(last) && columns.test(column));
}

/** Splits at the first marker, otherwise after the first line or sentence. */
function parted(description: string): { thing: string; list: string } {
  const text = description.trim();
  const marker = MARKER.exec(text);
  if (marker !== null) {
    return { thing: text.slice(0, marker.index), list: text.slice(marker.index + marker[0].length) };
  }
  const end = /\n|\.\s/.exec(text);
  if (end !== null) return { thing: text.slice(0, end.index), list: text.slice(end.index + 1).trim() };
  return /[,;]/.test(text) ? { thing: '', list: text } : { thing: text, list: '' };
}

function fieldsIn(list: string): DescribedField[] {
  const phrases = list
    .replace(/\((?:[^()]*)\)/g, bracket => bracket.replaceAll(',', '/'))
    .split(/[,;\n•]|\.(?=\s|$)|\s[-–]\s|\s(?:and|as well as|plus|et|ainsi que)\s|&/i)
    .map(phrase => phrase.replace(/^[\s\d.)*-]+/, '').trim());
  const fields = new Map<string, DescribedField>();
  for (const field of phrases.flatMap(phrase => describedField(phrase) ?? [])) {
    if (!fields.has(field.name) && fields.size < MAX_FIELDS) fields.set(field.name, field);
  }
  return [...fields.values()];
}

function usualFields(words: readonly string[]): string {
  const topics = words.flatMap(word => TOPICS.find(([pattern]) => pattern.test(word))?.[1] ?? []);
  return topics[0] ?? 'name, description';
}

function collectionName(words: readonly string[]): string {
  const name = words.slice(0, MAX_NAME_WORDS).join('_').slice(0, MAX_NAME).replace(/_+$/, '');
  return name === '' ? 'records' : name;
}

/** A column that a phrase such as "annual revenue in EUR" or "email (unique, required)" asks for. */
export interface DescribedField extends SuggestedColumn {
  readonly name: string;
  readonly unique: boolean;
}

/** Matches the words before the field, as in "We also want to store their phone number". */
const REQUEST =
  /^(?:also |and |or |plus )*(?:(?:we|i|it|they|you|each|every one) )?(?:also )?(?:wants?|needs?|would like|should|must|has to|have to|includes?|stores?|tracks?) (?:to )?(?:also )?(?:(?:store|track|keep|record|include|have|know) )?(?:also )?(?=the |a |an |their |its |his |her |our |whether )/i;

/** Words before a field that are not part of its name. */
const LEADING = new Set(
  `a an the their its his her our your my each every some optional required unique mandatory also and or plus with
   whether it they to has have le la les un une des leur leurs son sa ses`.split(/\s+/),
);
const TRAILING = new Set('etc field fields column columns optional required unique mandatory'.split(' '));
const SCALES = new Set(['thousand', 'thousands', 'million', 'millions', 'billion', 'billions', 'of']);
const MAX_WORDS = 6;

/** Reads one phrase of a list of fields; undefined when it does not name a field, or names a system field. */
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

/** The type that the words of a name suggest; text by default. */
export function typeOf(words: string): ColumnTypeName {
  return MEANINGS.find(([pattern]) => pattern.test(words))?.[1] ?? 'text';
}

/** Splits off the note of a field: "price (EUR)", "born: date", "price as decimal". */
function withoutNote(phrase: string): { head: string; note: string } {
  const [, head = phrase, bracketed, behind] =
    /^([^([:]+)(?:[([]([^)\]]*)[)\]]?|:\s*(.*))?/.exec(phrase.replace(/ as (an? )?/i, ': ')) ?? [];
  return { head, note: bracketed ?? behind ?? '' };
}

/** Spells signs of units as words ("km/h", "%") and removes scales such as "out of 100". */
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

const MAX_COLUMN = 63;

/** The words of a text: lower case, without accents, `camelCase` taken apart; only `a-z 0-9` are left. */
export function wordsOf(text: string): string[] {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replace(/['’](s\b|(?=[a-z]))/g, ' ')
    .split(/[^a-z0-9]+/)
    .filter(word => word !== '');
}

/** Words as a column's name (`[A-Za-z_][A-Za-z0-9_]*`, at most 63 characters); undefined when no word is left. */
export function columnName(words: readonly string[]): string | undefined {
  const name = words.join('_').slice(0, MAX_COLUMN).replace(/_+$/, '');
  if (name === '') return undefined;
  return /^\d/.test(name) ? `_${name}`.slice(0, MAX_COLUMN) : name;
}
