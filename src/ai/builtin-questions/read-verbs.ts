import { DATES } from './choose.js';
import type { Draft } from './draft.js';
import type { Field } from './fields.js';
import type { Ground } from './ground.js';
import type { Mark } from './marks.js';
import { isSomebody } from './named-fields.js';
import { piecesOf, saysProduct } from './pieces.js';
import type { Reading } from './reading.js';
import { refuseDoer, refusePieces } from './refusal.js';
import { doersOf, goesWith, type Verb } from './verbs.js';

/** A verb that says no more than that the records are there. "What did Ada buy" asks for them. */
export function readDone({ cursor, draft }: Reading): true | undefined {
  const verb = verbIn(cursor.peek());
  if (verb === undefined) return undefined;
  cursor.take();
  draft.verb = verb;
  if (draft.ask === 'what' && draft.figures.length === 0) draft.entity = true;
  return true;
}

/** A word that names a column or a value too is left to be understood as such. */
function verbIn({ verb, values, fields }: Mark): Verb | undefined {
  const isNamed = values !== undefined || fields?.some(({ kind }) => !DATES.includes(kind)) === true;
  return isNamed ? undefined : verb;
}

/** "Who wrote …": the column that holds who did it. */
export function readWho({ cursor, draft, ground }: Reading, { text }: Mark): void {
  if (!/^(?:who|qui)$/i.test(text)) return;
  // In "orders of people who …" it is about a noun.
  draft.who ||= cursor.at === 1;
  const verb = verbIn(cursor.peek());
  if (verb === undefined || verb.doers.length === 0) return;
  const [field, ...others] = doersOf(verb, ground.fields);
  if (field === undefined || others.length > 0) refuseDoer(cursor.peek().text, ground.fields);
  cursor.take();
  draft.verb = verb;
  draft.head = { field, plural: false };
}

/** Refuses what a verb does not say: "orders that Alice bought" of a sales rep, "how many lamps were sold". */
export function settleVerb(draft: Draft, { fields, entity: records }: Ground): void {
  const { verb, conditions, head, count, entity, who } = draft;
  if (who && head === undefined && !records.some(isSomebody)) refuseDoer('who', fields);
  const named = conditions.flatMap(({ filter }) => fields.filter(({ name }) => Object.hasOwn(filter, name)));
  const stranger = verb && [...named, ...(head ? [head.field] : [])].find(field => !goesWith(verb, field));
  if (stranger !== undefined) refuseDoer(stranger.name, fields);
  const pieces: readonly Field[] = piecesOf(fields);
  const sold = verb?.trade === true || named.some(saysProduct);
  if (count && !entity && head === undefined && sold && pieces.length > 0) refusePieces(pieces);
}
