import type { Draft } from './draft.js';
import type { Field } from './fields.js';
import type { Ground } from './ground.js';
import { settleVerb } from './read-verbs.js';
import { refuseEachOrAll, refuseMissing, refusePurpose, refuseQuestion } from './refusal.js';

/** Decides what can only be decided once all has been read. */
export function settle(draft: Draft, ground: Ground): void {
  if (draft.howMuch) settleHowMuch(draft, ground);
  if (draft.rank !== undefined && draft.rank.by === undefined) settleRank(draft, ground);
  settleList(draft);
  settleSubject(draft, ground);
  settleVerb(draft, ground);
  const asksNothing =
    draft.having.length === 0 &&
    draft.ask === undefined &&
    !draft.count &&
    draft.figures.length === 0 &&
    draft.rank === undefined;
  if (asksNothing && !draft.entity && draft.head === undefined && !draft.distinct) {
    if (draft.shown.length > 0) refusePurpose(draft.shown[0]!.text);
    refuseQuestion(ground.fields);
  }
  if (draft.shown.length > 0 && (draft.figures.length > 0 || draft.groups.length > 0))
    refusePurpose(draft.shown[0]!.text);
}

/** "How much did Acme spend": the sum of the number that was named. "Combien sont actifs": a count. */
function settleHowMuch(draft: Draft, ground: Ground): void {
  const numbers = draft.shown.filter(({ field }) => field.kind === 'number');
  if (draft.figures.length === 1 && draft.figures[0]!.type === 'sum') draft.figures.push({ type: 'count' });
  if (draft.figures.length > 0) return;
  // "How much did customers spend": who did is no more than the records.
  const others = draft.shown.filter(({ field, plural }) => field.kind !== 'number' && !plural);
  if (numbers.length === 1 && others.length === 0) {
    // With how many records they are the sum of: "Alice" may be several.
    draft.figures.push({ type: 'sum', field: numbers[0]!.field }, { type: 'count' });
    draft.shown = [];
  } else {
    const counts = ground.language === 'fr' && draft.shown.length === 0;
    if (!counts || !(draft.entity || draft.conditions.length > 0))
      refuseMissing('how much', numbersOf(ground));
    draft.count = true;
  }
}

/** "Which customers spent more than 1000": in one record, or in all of theirs? */
function settleSubject({ head, entity, conditions }: Draft, { fields }: Ground): void {
  if (head === undefined || entity) return;
  const numbers = fields.filter(({ kind }) => kind === 'number').map(({ name }) => name);
  const compared = conditions
    .flatMap(({ filter }) => Object.entries(filter))
    .find(([name, test]) => numbers.includes(name) && typeof test === 'object');
  if (compared !== undefined) refuseEachOrAll(compared[0], head.field.name);
}

/** "Customers that ordered a lamp", "cities in France": the values. */
function settleList(draft: Draft): void {
  const { shown, conditions, head, entity, count, figures, groups, having, rank, sort, ask } = draft;
  const more = figures.length + groups.length + having.length + sort.length > 0 || rank !== undefined;
  if (more || count || entity || head !== undefined || ask !== undefined) return;
  const [only, ...others] = shown;
  if (only?.plural !== true || only.field.kind !== 'text' || others.length > 0 || conditions.length === 0)
    return;
  draft.head = { field: only.field, plural: true };
  draft.ask = 'which';
  draft.shown = [];
}

/** "Top 5 orders" says by what only if there is no choice. */
function settleRank(draft: Draft, ground: Ground): void {
  const rank = draft.rank!;
  const sort = draft.sort.pop()?.field;
  if (sort === undefined && draft.count && draft.head !== undefined) {
    rank.by = { type: 'count' };
    draft.count = false;
  } else if (sort !== undefined) rank.by = sort;
  else refuseMissing('top', numbersOf(ground));
}

function numbersOf({ fields }: Ground): Field[] {
  return fields.filter(({ kind }) => kind === 'number');
}
