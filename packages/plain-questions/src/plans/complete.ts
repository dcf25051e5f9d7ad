import { type Context, numbersOf } from '../context.js';
import type { Draft } from '../draft.js';
import { refuseOtherDoer } from '../grammar/subject.js';
import { refuse } from '../refusal.js';
import { comparedIn } from './filters.js';

/** Makes the decisions that need the whole question. */
export function complete(draft: Draft, context: Context): void {
  if (draft.howMuch) completeHowMuch(draft, context);
  if (draft.rank !== undefined && draft.rank.by === undefined) completeRank(draft, context);
  completeList(draft);
  refuseEachOrAll(draft, context);
  refuseOtherDoer(draft, context);
  const { having, ask, count, figures, rank, groups, shown, entity, head, distinct } = draft;
  const asks = having.length + figures.length > 0 || ask !== undefined || count || rank !== undefined;
  const [first] = shown;
  const isIdle = !asks && !entity && head === undefined && !distinct;
  if (first !== undefined && (isIdle || figures.length + groups.length > 0)) refuse('purpose', first.text);
  if (isIdle) refuse('question', '', context.fields);
}

/** "How much did Acme spend" asks for the sum of the number that was named; "Combien sont actifs" asks for a count. */
function completeHowMuch(draft: Draft, context: Context): void {
  const numbers = draft.shown.filter(({ field }) => field.kind === 'number');
  if (draft.figures.length === 1 && draft.figures[0]!.type === 'sum') draft.figures.push({ type: 'count' });
  if (draft.figures.length > 0) return;
  // "How much did customers spend": the word for the customers adds no condition.
  const others = draft.shown.filter(({ field, plural }) => field.kind !== 'number' && !plural);
  if (numbers.length === 1 && others.length === 0) {
    // Also counts the records of the sum, because "Alice" may be several people.
    draft.figures.push({ type: 'sum', field: numbers[0]!.field }, { type: 'count' });
    draft.shown = [];
    return;
  }
  const counts = context.language === 'fr' && draft.shown.length === 0;
  const isOpen = !draft.entity && draft.conditions.length === 0;
  if (!counts || isOpen) refuse('missing', 'how much', numbersOf(context));
  draft.count = true;
}

/** "Which customers spent more than 1000" is ambiguous: in one record, or in all of their records? */
function refuseEachOrAll({ head, entity, conditions }: Draft, context: Context): void {
  if (head === undefined || entity) return;
  const compared = comparedIn(conditions, numbersOf(context));
  if (compared !== undefined) refuse('eachOrAll', compared, [], head.field.name);
}

/** "Customers that ordered a lamp" and "cities in France" ask for the values of a field. */
function completeList(draft: Draft): void {
  const { shown, conditions, head, entity, count, figures, groups, having, rank, sort, ask } = draft;
  const more = figures.length + groups.length + having.length + sort.length > 0 || rank !== undefined;
  if (more || count || entity || head !== undefined || ask !== undefined) return;
  const [only, ...others] = shown;
  const isOne = only?.plural === true && only.field.kind === 'text' && others.length === 0;
  if (!isOne || conditions.length === 0) return;
  Object.assign(draft, { head: { field: only.field, plural: true }, ask: 'which', shown: [] });
}

/** "Top 5 orders" is understood only if there is just one field to rank by. */
function completeRank(draft: Draft, context: Context): void {
  const sort = draft.sort.pop()?.field;
  const counts = draft.count && draft.head !== undefined;
  if (sort === undefined && !counts) refuse('missing', 'top', numbersOf(context));
  draft.rank!.by = sort ?? { type: 'count' };
  if (sort === undefined) draft.count = false;
}
