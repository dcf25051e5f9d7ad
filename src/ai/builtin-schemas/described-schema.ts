import { type DescribedField, describedField } from './described-field.js';
import { IDENTITIES, IDENTITIES_OF, OWN_NUMBER, TOPICS } from './vocabulary.js';
import { wordsOf } from './words.js';

const MAX_NAME_WORDS = 3;
const MAX_NAME = 64;
/** More is no list that somebody wrote. */
const MAX_FIELDS = 200;

/** What stands between the thing and its fields. */
const MARKER =
  /\b(?:with|having|including|includes?|containing|contains?|each has|has|have|that have|which have|fields? (?:are|like)?|columns? (?:are|like)?|consisting of|storing|tracking|keeping|namely|such as|described by|avec|contenant|comprenant|ayant)\b[\s:]*|:\s*/i;

/** Words of a request that are not about the thing. */
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
  // "annual revenue in EUR": a figure, not a thing that has some.
  const named = alone !== undefined && alone.type !== 'text' ? [alone] : fieldsIn(list);
  const fields = named.length > 0 ? named : fieldsIn(usualFields(words));
  return {
    name: collectionName(words),
    fields: fields.map(field => ({ ...field, unique: field.unique || isIdentity(field.name, words) })),
  };
}

/** True for a column that tells the records apart, given the words for what they are about. */
export function isIdentity(column: string, thing: readonly string[]): boolean {
  if (IDENTITIES.test(column)) return true;
  const last = thing.at(-1) ?? '';
  if (OWN_NUMBER.test(column) && column.replace(OWN_NUMBER, '') === last.replace(/s$/, '')) return true;
  return IDENTITIES_OF.some(([about, columns]) => about.test(last) && columns.test(column));
}

/** The thing before the first marker and the list behind it; else the first line or sentence and what follows. */
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
