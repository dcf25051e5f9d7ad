import type { AggregatePlan, SeveralPlan } from '../question-planner.js';
import { DATES, hasKind } from './choose.js';
import { isRole } from './cursor.js';
import type { Draft } from './draft.js';
import { figurePlan, figuresOf } from './figure-plan.js';
import type { Ground } from './ground.js';
import { groupPlan } from './group-plan.js';
import type { Mark } from './marks.js';
import { addedOf } from './pieces.js';
import { readQuestion } from './read-question.js';
import { refuseWhole } from './refusal.js';

/** `what percentage of orders is cancelled`, `share of revenue from web`: a part, its whole, and what it makes of it. */
export function sharePlan(marks: readonly Mark[], ground: Ground): SeveralPlan | undefined {
  const at = marks.findIndex(mark => isRole(mark, 'share'));
  // A column `share`, or the share of something?
  const doubtful = marks.find(
    (mark, index) =>
      mark.fields && SHARES.test(mark.text) && /^(?:of|des|du|de)(?: |$)/i.test(marks[index + 1]?.text ?? ''),
  );
  if (doubtful !== undefined) refuseWhole(doubtful.text);
  if (at < 0) return undefined;
  const { text } = marks[at]!;
  const opens = marks
    .slice(0, at)
    .every(mark => isRole(mark, 'what', 'which', 'list', 'filler', 'in', 'count', 'howMuch'));
  const rest = marks.slice(at + 1);
  if (!opens || rest.some(mark => isRole(mark, 'share', ...OTHERS))) refuseWhole(text);
  const said = figureOf(rest, ground);
  const split = predicateAt(rest, text);
  const draft = readQuestion([said, ...rest].filter(isMark), ground);
  if (draft.calendar !== undefined || draft.rank !== undefined) refuseWhole(text);
  if (draft.groups.length > 0) return spread(draft, ground, split === undefined, text);
  const whole =
    split === undefined
      ? wholeWithout(draft, ground, text)
      : readQuestion([said, ...rest.slice(0, split)].filter(isMark), ground);
  refuseOther(draft, whole, text);
  if (split !== undefined) refuseTimeOfPart(draft, whole, ground, text);
  const [part, all] = [figuresOf(draft, ground), figuresOf(whole, ground)];
  if (all.figures.length !== 1 || !['count', 'sum'].includes(all.figures[0]!.type)) refuseWhole(text);
  if (JSON.stringify(part.figures) !== JSON.stringify(all.figures)) refuseWhole(text);
  return {
    operation: 'several',
    by: 'share',
    percent: true,
    reads: [
      { name: 'part', plan: figurePlan(part.figures, part.filter) },
      { name: 'whole', plan: figurePlan(all.figures, all.filter) },
    ],
  };
}

const SHARES = /^(?:share|percentage|percent|proportion|fraction|part)$/i;

const isMark = (mark: Mark | undefined): mark is Mark => mark !== undefined;

/** What a share is of no part of. */
const OTHERS = ['avg', 'min', 'max', 'top', 'bottom', 'most', 'fewest', 'count', 'howMuch', 'sort'] as const;

/** Records are counted, amounts and pieces added up. */
function figureOf(rest: readonly Mark[], { fields }: Ground): Mark | undefined {
  const noun = rest.find(mark => !isRole(mark, 'filler', 'all', 'in', 'from'));
  if (noun?.total || isRole(noun ?? { text: '' }, 'sum')) return undefined;
  const added = addedOf(fields);
  const isAdded =
    noun !== undefined && hasKind(noun, ['number']) && noun.fields!.every(field => added.includes(field));
  return isAdded ? { text: 'sum', role: 'sum' } : { text: 'how many', role: 'count' };
}

const VERBS =
  /^(?:is|are|was|were|has|have|had|came?|comes|earns?|costs?|works?|lives?|est|sont|etaient|ont|viennent|vient)(?: |$)/i;

/** Where what is said of the records begins: at the one verb, which one of a clause ("that are open") is only alone. */
function predicateAt(rest: readonly Mark[], text: string): number | undefined {
  const verbs = rest.flatMap((mark, index) => (VERBS.test(mark.text) ? [index] : []));
  const isClause = (index: number) => /^(?:that|who|which|qui)$/i.test(rest[index - 1]?.text ?? '');
  const main = verbs.filter(index => !isClause(index));
  if (main.length > 1 || (main.length === 0 && verbs.length > 1)) refuseWhole(text);
  return main[0] ?? (verbs[0] === undefined ? undefined : verbs[0] - 1);
}

/** "Share of revenue from web in 2025": the one condition makes the part; the time is that of the whole too. */
function wholeWithout(draft: Draft, ground: Ground, text: string): Draft {
  const telling = draft.conditions.filter(each => !isTime(each, ground));
  const parts = telling.length > 0 ? telling : draft.conditions;
  if (parts.length !== 1) refuseWhole(text);
  return { ...draft, conditions: draft.conditions.filter(each => !parts.includes(each)) };
}

/** "Was returned last month": of last month's orders, or of all? */
function refuseTimeOfPart(part: Draft, whole: Draft, ground: Ground, text: string): void {
  const more = part.conditions.slice(whole.conditions.length);
  if (more.length > 1 && more.some(each => isTime(each, ground))) refuseWhole(text);
}

function isTime({ filter }: Draft['conditions'][number], { fields }: Ground): boolean {
  return Object.entries(filter).every(
    ([field, test]) =>
      fields.some(({ kind, name }) => name === field && DATES.includes(kind)) &&
      JSON.stringify(test).includes('"$'),
  );
}

/** The part is the whole and more conditions, all joined by "and". */
function refuseOther(part: Draft, whole: Draft, text: string): void {
  const more = part.conditions.length > whole.conditions.length;
  const rest = part.conditions.map(({ filter }) => JSON.stringify(filter));
  const within = whole.conditions.every(({ filter }) => rest.includes(JSON.stringify(filter)));
  const or = whole.conditions.length > 0 && part.conditions.some(({ joined }) => joined === 'or');
  if (!more || !within || or || part.having.length + whole.having.length > 0) refuseWhole(text);
}

/** `share of orders by channel`: each group's part of all. */
function spread(draft: Draft, ground: Ground, isWhole: boolean, text: string): SeveralPlan {
  const groups = draft.groups;
  const taken = groups.some(({ name }) => ['share', 'percent'].includes(name));
  const onlyTime = draft.conditions.every(each => isTime(each, ground));
  if (!isWhole || !onlyTime || taken) refuseWhole(text);
  const { figures, filter } = figuresOf({ ...draft, groups: [] }, ground);
  if (figures.length !== 1 || !['count', 'sum'].includes(figures[0]!.type)) refuseWhole(text);
  const grouped: AggregatePlan = groupPlan({ ...draft, groups }, filter);
  const whole = figurePlan(figures, filter);
  return {
    operation: 'several',
    by: 'share',
    percent: true,
    reads: [
      { name: 'part', plan: grouped },
      { name: 'whole', plan: whole },
    ],
  };
}
