import { addedOf, type Context } from '../context.js';
import type { Figure } from '../draft.js';
import { readQuestion } from '../grammar/read-question.js';
import { isKind, type TermKind } from '../grammar/reader.js';
import { periodOf } from '../grammar/tests.js';
import { says } from '../lexicon/lexicon.js';
import type { SeveralPlan } from '../plan.js';
import { refuse } from '../refusal.js';
import type { Term } from '../words/terms.js';
import { nameOfSpan, type Span } from './days.js';
import { countedBy, figurePlan } from './groups.js';

const FIGURES = ['count', 'howMuch', 'sum', 'avg', 'min', 'max', 'flow'] as const;
const SIGNS = ['more', 'higher', 'versus', 'compare', 'than'] as const;
const OTHERS = ['not', 'share', 'list', 'group', 'each', 'periodic', 'weekday'] as const;

/**
 * Compares two things: `more web or phone orders`, `revenue in March vs February`. The same question is planned for
 * each side, and the answer shows both. The question without one side must be understood like any other.
 */
export function comparisonPlan(read: readonly Term[], context: Context): SeveralPlan | undefined {
  const all = read.map((term, at) => comparing(term, read[at + 1], read, context));
  const sign = all.find(term => isKind(term, ...SIGNS));
  if (sign === undefined) return undefined;
  return comparisonOf(all, sign, context) ?? refuse('comparison', sign.text);
}

function comparisonOf(all: readonly Term[], sign: Term, context: Context): SeveralPlan | undefined {
  // "Orders with more urgent than fragile tags" compares values within each record.
  const isInside = (term: Term, at: number) =>
    says(context, 'having', term.text) && isKind(all[at + 1], 'more');
  if (all.some((term, at) => isKind(term, ...OTHERS) || isInside(term, at))) return undefined;
  const terms = all.filter(term => !isKind(term, 'compare'));
  const joint = jointOf(terms, isKind(sign, 'compare'));
  const [first, second] = (joint && sidesOf(terms, joint)) || [];
  if (first === undefined || second === undefined) return undefined;
  const reads = [first, second].map(side => {
    const other = side === first ? second : first;
    // "between" belongs to both sides together.
    const isLeft = (term: Term, at: number) =>
      at === joint || at === other.at || (isKind(term, 'between') && at + 1 === first.at);
    const kept = terms.filter((term, at) => !isLeft(term, at));
    return { name: side.name, plan: countedOf(kept, context) };
  });
  // "Shipped or delivered in 2025": if one is a date and the other a status, their figures cannot be compared.
  const [one, two] = reads.map(({ plan }) => Object.keys(plan.filter ?? {}));
  if (one!.length === 0 || one!.sort().join() !== two!.sort().join()) return undefined;
  return { operation: 'several', by: 'compared', reads };
}

/** "Higher than that of" compares figures. "plus de commandes" compares numbers of records if no number follows. */
function comparing(term: Term, next: Term | undefined, all: readonly Term[], context: Context): Term {
  if (isKind(next, 'number', 'period') || !isKind(term, 'gt', 'lt')) return term;
  if (/^(?:plus|moins) d/i.test(term.text)) return { ...term, role: 'more' };
  const asks = says(context, 'asks', all[0]!.text.split(' ')[0]!);
  const computes = asks && all.some(each => isKind(each, 'sum', 'avg', 'min', 'max', 'total'));
  return computes && / than$/i.test(term.text) ? { ...term, role: 'than' } : term;
}

/** The one word between the two sides. */
function jointOf(terms: readonly Term[], compares: boolean): number | undefined {
  const asked = terms.some(term => isKind(term, 'more', 'higher'));
  const of = (...kinds: TermKind[]) => terms.flatMap((term, at) => (isKind(term, ...kinds) ? [at] : []));
  const [joint, ...others] = of('than', 'versus');
  if (joint !== undefined) return others.length + of('or').length > 0 ? undefined : joint;
  const [only, ...more] = asked ? of('or') : compares ? of('and') : [];
  return more.length > 0 ? undefined : only;
}

/** The term after the joining word, and the one term of the same kind before it. There must not be a third. */
function sidesOf(terms: readonly Term[], joint: number) {
  const at = terms.findIndex((term, index) => index > joint && isSide(term));
  const second = terms[at];
  const between = terms.slice(joint + 1, at);
  if (second === undefined || !between.every(each => isKind(each, 'in', 'from', 'with', 'filler')))
    return undefined;
  const alike = terms.flatMap((each, index) => (index !== at && isAlike(each, second) ? [index] : []));
  const [first, ...others] = alike;
  if (first === undefined || others.length > 0 || first > joint) return undefined;
  const one = { at: first, name: sideName(terms[first]!, second) };
  const two = { at, name: sideName(second, terms[first]!) };
  return one.name === two.name ? undefined : ([one, two] as const);
}

function isFlag({ fields, values }: Term): boolean {
  return values === undefined && fields?.every(({ kind }) => kind === 'boolean') === true;
}

function isSide(term: Term): boolean {
  return isKind(term, 'time') || (term.values !== undefined && !term.entity) || isFlag(term);
}

/** Two periods, two values of one column, or a boolean field and its opposite. */
function isAlike(one: Term, other: Term): boolean {
  if (isKind(one, 'time') || isKind(other, 'time')) return isKind(one, 'time') && isKind(other, 'time');
  if (isFlag(one) && isFlag(other)) return one.fields!.some(field => other.fields!.includes(field));
  return sharedValue(one, other) !== undefined;
}

function sharedValue(one: Term, other: Term): string | undefined {
  return one.values?.find(({ field }) => other.values?.some(match => match.field === field))?.values[0];
}

function sideName(term: Term, other: Term): string {
  return isKind(term, 'time') ? nameOfSpan(periodOf(term) as Span) : (sharedValue(term, other) ?? term.text);
}

function countedOf(terms: readonly Term[], context: Context) {
  const at = terms.findIndex(term => isKind(term, 'more'));
  const kept = terms.filter(term => !isKind(term, 'higher', 'more'));
  const isSold =
    at >= 0 && terms.some(({ verb }) => verb?.trade === true) && !terms.some(({ entity }) => entity);
  const asks = kept.some(term => isKind(term, ...FIGURES));
  const needsCount = !asks && !terms.some(term => isKind(term, 'higher'));
  // "Ada vs Bela" does not say what to compare.
  if (needsCount && !terms.some(term => isKind(term, 'records', 'more'))) refuse('comparison', 'vs');
  const count: Term[] = needsCount ? [{ text: 'how many', role: 'count' }] : [];
  const draft = readQuestion(kept.toSpliced(Math.max(at, 0), 0, ...count), context);
  if (isSold) draft.entity = true;
  if (draft.calendar ?? draft.rank) refuse('comparison', 'than');
  const { figures, filter } = countedBy(draft, context);
  const sums = isSold && needsCount ? addedOf(context) : [];
  return figurePlan([...figures, ...sums.map((field): Figure => ({ type: 'sum', field }))], filter);
}
