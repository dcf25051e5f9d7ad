import { chosen, hasKind } from './choose.js';
import { key } from './concepts.js';
import { isField, isRole } from './cursor.js';
import type { Figure } from './draft.js';
import type { Mark } from './marks.js';
import { skipRecords } from './read-figure.js';
import { rankSubject } from './read-rankings.js';
import { FIGURES, isFlow, isName, isRecords, kindsOf, type Reading } from './reading.js';
import { refuseKind, refuseMissing } from './refusal.js';

type Types = readonly [Figure['type'], ...Figure['type'][]];

/** `average and maximum salary`, `salaire moyen`, `total orders`. */
export function readFigures(reading: Reading): true | undefined {
  const { cursor, draft } = reading;
  const first = cursor.peek();
  const types = typesOf(reading, first);
  if (types === undefined) return undefined;
  // "the average number of users" is the average of the users.
  if (cursor.is('count') && hasKind(cursor.peek(1), ['number'])) cursor.take();
  skipRecords(reading);
  const noun = cursor.peek();
  if (isName(noun) && hasKind(noun, kindsOf(types[0]))) return figuresOf(reading, types);
  if (postponed(reading, types)) return true;
  const isSum = types.join() === 'sum';
  if (isSum && (isRecords(noun) || draft.count)) {
    if (isFlow(reading, noun)) refuseMissing(`${first.text} ${noun.text}`, reading.numbers);
    draft.count = true;
    return true;
  }
  if (first.fields !== undefined && types.length === 1) return wholeName(reading, first, types[0]);
  if (isField(noun)) refuseKind(first.text, noun.fields[0]!, reading.ground.fields);
  return refuseMissing(first.text, reading.numbers);
}

function typesOf(reading: Reading, first: Mark): Types | undefined {
  const { cursor } = reading;
  const types: Figure['type'][] = [];
  do {
    const role = cursor.accept(...FIGURES)?.role;
    if (role !== undefined) types.push(role as Figure['type']);
  } while (
    types.length > 0 &&
    cursor.attempt(() => (reading.joint() === 'and' && cursor.is(...FIGURES) ? true : undefined))
  );
  if (types.length > 0) return types as unknown as Types;
  return isAddedUp(reading, first) ? ['sum'] : undefined;
}

/** "Total sales" asks for a sum, unless it is one of the fields to list. */
function isAddedUp(reading: Reading, mark: Mark): boolean {
  const { cursor, draft } = reading;
  if (!mark.total || !hasKind(mark, ['number']) || draft.distinct) return false;
  if (isRole(cursor.peek(1), ...FIGURES)) return false;
  const named = mark.fields!.some(({ words }) => key(mark.text.split(' ')) === words.join(' '));
  const listed = named && !isRole(cursor.peek(1), 'group');
  if (draft.ask === 'list' && (listed || draft.shown.length > 0)) return false;
  return !reading.isCondition();
}

function figuresOf(reading: Reading, types: Types): true {
  const { cursor, draft, ground } = reading;
  do {
    const mark = cursor.take();
    for (const type of types) draft.figures.push({ type, field: chosen(mark, kindsOf(type), ground) });
  } while (cursor.attempt(() => reading.nextInList()));
  return true;
}

/** `salaire moyen`, `le montant le plus élevé`, `salaire moyen le plus élevé`: the word comes after its field. */
function postponed(reading: Reading, types: Types): true | undefined {
  const { cursor, draft } = reading;
  const [type] = types;
  const direction = type === 'min' ? 1 : type === 'max' ? -1 : undefined;
  const field = draft.shown.at(-1)?.field ?? draft.head?.field;
  if (field === undefined || !kindsOf(type).includes(field.kind)) {
    const figure = direction === undefined || draft.head === undefined ? undefined : draft.figures.pop();
    return figure && rankSubject(reading, figure, direction!);
  }
  if (draft.shown.pop() === undefined) draft.head = undefined;
  if (direction !== undefined && types.length === 1 && draft.rank === undefined) {
    if (draft.head !== undefined) return rankSubject(reading, { type, field }, direction);
    if (draft.ask === 'which' || draft.limit !== undefined || isRole(cursor.peek(-3), 'with')) {
      draft.rank = { direction, by: field, limit: draft.limit ?? 1 };
      return true;
    }
  }
  draft.figures.push(...types.map(each => ({ type: each, field })));
  return true;
}

/** The word for a figure that is a field's whole name too: the sum of `total`. */
function wholeName({ draft, ground }: Reading, mark: Mark, type: Figure['type']): true {
  draft.figures.push({ type, field: chosen(mark, kindsOf(type), ground) });
  return true;
}
