import { addedOf, type Context } from '../context.js';
import type { Draft, Figure } from '../draft.js';
import { DATES } from '../fields/fields.js';
import { readQuestion } from '../grammar/read-question.js';
import { hasKind, isKind, type TermKind } from '../grammar/reader.js';
import { says } from '../lexicon/lexicon.js';
import type { Counting, SeveralPlan } from '../plan.js';
import { refuse } from '../refusal.js';
import type { Term } from '../words/terms.js';
import { countedBy, figurePlan, groupPlan } from './groups.js';

const OPENING = ['what', 'which', 'list', 'filler', 'in', 'count', 'howMuch'] as const;
/** Parts of a draft that a share cannot have. */
const OTHERS = 'share avg min max top bottom most fewest count howMuch sort'.split(' ') as TermKind[];

/**
 * A share, such as `what percentage of orders is cancelled` or `share of revenue from web`: the part, the whole, and
 * the percentage.
 */
export function sharePlan(terms: readonly Term[], context: Context): SeveralPlan | undefined {
  // "share" may be a column or a percentage of something.
  const isOf = (term: Term | undefined) => says(context, 'of', term?.text.split(' ')[0] ?? '');
  const isDoubtful = ({ fields, text }: Term, at: number) =>
    fields !== undefined && says(context, 'share', text) && isOf(terms[at + 1]);
  const doubtful = terms.find(isDoubtful);
  if (doubtful !== undefined) refuse('whole', doubtful.text);
  const at = terms.findIndex(term => isKind(term, 'share'));
  return at < 0 ? undefined : (shareAt(at, terms, context) ?? refuse('whole', terms[at]!.text));
}

function shareAt(at: number, terms: readonly Term[], context: Context): SeveralPlan | undefined {
  const rest = terms.slice(at + 1);
  if (!terms.slice(0, at).every(term => isKind(term, ...OPENING))) return undefined;
  if (rest.some(term => isKind(term, ...OTHERS))) return undefined;
  const said = figureSaid(rest, context);
  const split = predicateAt(rest, context);
  const draft = readQuestion([...said, ...rest], context);
  if (split === 'unclear' || (draft.calendar ?? draft.rank) !== undefined) return undefined;
  if (draft.groups.length > 0) return split === undefined ? spread(draft, context) : undefined;
  const whole =
    split === undefined
      ? wholeWithout(draft, context)
      : readQuestion([...said, ...rest.slice(0, split)], context);
  if (whole === undefined || !isPart(draft, whole)) return undefined;
  // "was returned last month" can be a share of last month's orders or of all orders.
  const more = draft.conditions.slice(whole.conditions.length);
  if (split !== undefined && more.length > 1 && more.some(each => isTime(each, context))) return undefined;
  const [part, all] = [countedBy(draft, context), countedBy(whole, context)];
  if (!isShared(all.figures) || JSON.stringify(part.figures) !== JSON.stringify(all.figures))
    return undefined;
  return shares(figurePlan(part.figures, part.filter), figurePlan(all.figures, all.filter));
}

function shares(part: Counting, whole: Counting): SeveralPlan {
  const reads = [part, whole].map((plan, at) => ({ name: at === 0 ? 'part' : 'whole', plan }));
  return { operation: 'several', by: 'share', percent: true, reads };
}

/** Only counts and sums have shares. */
function isShared([only, ...others]: readonly Figure[]): boolean {
  return others.length === 0 && ['count', 'sum'].includes(only!.type);
}

/** Records are counted; amounts and pieces are added up. */
function figureSaid(rest: readonly Term[], context: Context): Term[] {
  const noun = rest.find(term => !isKind(term, 'filler', 'all', 'in', 'from'));
  if (noun?.total || (noun && isKind(noun, 'sum'))) return [];
  const added = addedOf(context);
  const isAdded = noun && hasKind(noun, ['number']) && noun.fields!.every(field => added.includes(field));
  return [isAdded ? { text: 'sum', role: 'sum' } : { text: 'how many', role: 'count' }];
}

/**
 * The position where the statement about the records begins: at the only verb. If there is a subordinate clause ("that
 * are open"), only its verb counts.
 */
function predicateAt(rest: readonly Term[], context: Context): number | 'unclear' | undefined {
  const isVerb = ({ text }: Term) => says(context, 'predicate', text.split(' ')[0]!);
  const verbs = rest.flatMap((term, index) => (isVerb(term) ? [index] : []));
  const main = verbs.filter(index => !says(context, 'clause', rest[index - 1]?.text ?? ''));
  if (main.length > 1 || (main.length === 0 && verbs.length > 1)) return 'unclear';
  return main[0] ?? (verbs[0] === undefined ? undefined : verbs[0] - 1);
}

/** "Share of revenue from web in 2025": the only condition selects the part. The period applies to the whole too. */
function wholeWithout(draft: Draft, context: Context): Draft | undefined {
  const telling = draft.conditions.filter(each => !isTime(each, context));
  const [part, ...others] = telling.length > 0 ? telling : draft.conditions;
  if (part === undefined || others.length > 0) return undefined;
  return { ...draft, conditions: draft.conditions.filter(each => each !== part) };
}

function isTime({ filter }: Draft['conditions'][number], { fields }: Context): boolean {
  const isDay = (field: string) => fields.some(({ kind, name }) => name === field && DATES.includes(kind));
  const isBound = (test: unknown) => JSON.stringify(test).includes('"$');
  return Object.entries(filter).every(([field, test]) => isDay(field) && isBound(test));
}

/** The part is the whole and more conditions, all joined by "and". */
function isPart(part: Draft, whole: Draft): boolean {
  const more = part.conditions.length > whole.conditions.length;
  const rest = part.conditions.map(({ filter }) => JSON.stringify(filter));
  const within = whole.conditions.every(({ filter }) => rest.includes(JSON.stringify(filter)));
  const or = whole.conditions.length > 0 && part.conditions.some(({ joined }) => joined === 'or');
  return more && within && !or && part.having.length + whole.having.length === 0;
}

/** `share of orders by channel`: the percentage of each group in the whole. */
function spread(draft: Draft, context: Context): SeveralPlan | undefined {
  const { groups } = draft;
  const taken = groups.some(({ name }) => ['share', 'percent'].includes(name));
  if (taken || !draft.conditions.every(each => isTime(each, context))) return undefined;
  const { figures, filter } = countedBy({ ...draft, groups: [] }, context);
  if (!isShared(figures)) return undefined;
  return shares(groupPlan({ ...draft, groups }, filter), figurePlan(figures, filter));
}
