import type { SeveralPlan } from '../question-planner.js';
import { nameOf } from './buckets.js';
import { period } from './calendar.js';
import { hasKind } from './choose.js';
import { isRole } from './cursor.js';
import type { Figure } from './draft.js';
import { figurePlan, figuresOf } from './figure-plan.js';
import type { Ground } from './ground.js';
import type { Mark } from './marks.js';
import { addedOf } from './pieces.js';
import { readQuestion } from './read-question.js';
import { refuseComparison } from './refusal.js';

/** One of two things that are compared. */
interface Side {
  readonly at: number;
  readonly name: string;
}

const FIGURES = ['count', 'howMuch', 'sum', 'avg', 'min', 'max'] as const;

/**
 * `more web or phone orders`, `revenue in March vs February`: the same question about either, told side by side. The
 * question without one side has to be understood like any other.
 */
export function comparisonPlan(read: readonly Mark[], ground: Ground): SeveralPlan | undefined {
  const all = read.map((mark, at) => comparing(mark, read[at + 1], read));
  const sign = all.find(mark => isRole(mark, 'more', 'higher', 'versus', 'compare', 'than'));
  if (sign === undefined) return undefined;
  const refuse = () => refuseComparison(sign.text);
  if (all.some(mark => isRole(mark, 'not', 'share', 'list', 'group', 'each', 'periodic', 'weekday')))
    refuse();
  // "Orders with more urgent than fragile tags" compares inside of each record.
  if (
    all.some((mark, at) => /^(?:with|having|avec)$/i.test(mark.text) && isRole(all[at + 1] ?? mark, 'more'))
  )
    refuse();
  const marks = all.filter(mark => !isRole(mark, 'compare'));
  const joint = jointOf(marks, isRole(sign, 'compare')) ?? refuse();
  const [first, second] = sidesOf(marks, joint) ?? refuse();
  const reads = [first, second].map(side => {
    const other = side === first ? second : first;
    const kept = marks.filter(
      (mark, at) => at !== joint && at !== other.at && !isBetween(mark, marks[at + 1], first),
    );
    const { figures, filter } = figuresOfSide(kept, ground);
    return { name: side.name, plan: figurePlan(figures, filter) };
  });
  // "Shipped or delivered in 2025": where one is a date and the other a status, the figures have nothing in common.
  const [one, two] = reads.map(({ plan }) =>
    Object.keys(plan.filter ?? {})
      .sort()
      .join(),
  );
  if (one !== two || one === '') refuse();
  return { operation: 'several', by: 'compared', reads };

  /** "Between" belongs to the pair, not to either. */
  function isBetween(mark: Mark, next: Mark | undefined, { at }: Side): boolean {
    return isRole(mark, 'between') && next === marks[at];
  }
}

/** "Higher than that of" compares figures, "plus de commandes" records, where no number follows. */
function comparing(mark: Mark, next: Mark | undefined, all: readonly Mark[]): Mark {
  const isBound = next?.number !== undefined || next?.period !== undefined || !isRole(mark, 'gt', 'lt');
  if (isBound) return mark;
  if (/^(?:plus|moins) d/i.test(mark.text)) return { ...mark, role: 'more' };
  const asks = /^(?:is|are|was|were|do|does|did|has|have)\b/i.test(all[0]!.text);
  const computes = asks && all.some(each => isRole(each, 'sum', 'avg', 'min', 'max') || each.total);
  return computes && / than$/i.test(mark.text) ? { ...mark, role: 'than' } : mark;
}

/** The one word between the two sides. */
function jointOf(marks: readonly Mark[], compares: boolean): number | undefined {
  const asked = marks.some(mark => isRole(mark, 'more', 'higher'));
  const of = (...roles: Parameters<typeof isRole>[1][]) =>
    marks.flatMap((mark, at) => (isRole(mark, ...roles) ? [at] : []));
  const [joint, ...others] = of('than', 'versus');
  if (joint !== undefined) return others.length + of('or').length > 0 ? undefined : joint;
  const [only, ...more] = asked ? of('or') : compares ? of('and') : [];
  return more.length > 0 ? undefined : only;
}

/** What stands after the joint, and the one mark before it of the same kind; there must be no third. */
function sidesOf(marks: readonly Mark[], joint: number): [Side, Side] | undefined {
  const second = marks.findIndex((mark, at) => at > joint && isSide(mark));
  const mark = marks[second];
  const between = marks.slice(joint + 1, second);
  if (mark === undefined || !between.every(each => isRole(each, 'in', 'from', 'with', 'filler')))
    return undefined;
  const alike = marks.flatMap((each, at) => (at !== second && isAlike(each, mark) ? [at] : []));
  const [first, ...others] = alike;
  if (first === undefined || others.length > 0 || first > joint) return undefined;
  const [one, two] = [sideName(marks[first]!, mark), sideName(mark, marks[first]!)];
  return one === two
    ? undefined
    : [
        { at: first, name: one },
        { at: second, name: two },
      ];
}

function isTime(mark: Mark): boolean {
  return mark.period !== undefined || mark.year === true;
}

function isFlag({ fields, values }: Mark): boolean {
  return values === undefined && fields !== undefined && fields.every(({ kind }) => kind === 'boolean');
}

function isSide(mark: Mark): boolean {
  return isTime(mark) || (mark.values !== undefined && !mark.entity) || isFlag(mark);
}

/** Two times, two values of one column, or a flag and its contrary. */
function isAlike(one: Mark, other: Mark): boolean {
  if (isTime(one) || isTime(other)) return isTime(one) && isTime(other);
  if (isFlag(one) && isFlag(other)) return one.fields!.some(field => other.fields!.includes(field));
  return one.values?.some(({ field }) => other.values?.some(match => match.field === field)) === true;
}

function sideName(mark: Mark, other: Mark): string {
  const time = mark.period ?? (mark.year ? period(mark.number!) : undefined);
  if (time?.start !== undefined && time.end !== undefined)
    return nameOf({ start: time.start, end: time.end });
  const shared = mark.values?.find(({ field }) => other.values?.some(match => match.field === field));
  return shared?.values[0] ?? mark.text;
}

function figuresOfSide(marks: readonly Mark[], ground: Ground) {
  const at = marks.findIndex(mark => isRole(mark, 'more'));
  const kept = marks.filter(mark => !isRole(mark, 'higher', 'more'));
  const isSold =
    at >= 0 && marks.some(({ verb }) => verb?.trade === true) && !marks.some(({ entity }) => entity);
  const asks = kept.some(mark => isRole(mark, ...FIGURES) || (mark.total && hasKind(mark, ['number'])));
  const count: Mark = { text: 'how many', role: 'count' };
  const needsCount = !asks && !marks.some(mark => isRole(mark, 'higher'));
  // "Ada vs Bela": by what?
  const names = marks.some(mark => mark.entity || isRole(mark, 'record', 'more'));
  if (needsCount && !names) refuseComparison('vs');
  const place = Math.max(at, 0);
  const draft = readQuestion(
    needsCount ? [...kept.slice(0, place), count, ...kept.slice(place)] : kept,
    ground,
  );
  if (isSold) draft.entity = true;
  if (draft.calendar ?? draft.rank) refuseComparison('than');
  const { figures, filter } = figuresOf(draft, ground);
  const sums = isSold && needsCount ? addedOf(ground.fields) : [];
  const more = sums.map((field): Figure => ({ type: 'sum', field }));
  return { figures: [...figures, ...more], filter };
}
