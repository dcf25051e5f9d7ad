import type { Figure } from '../draft.js';
import { mainDate } from '../fields/choose.js';
import { DATES, type Field, type Kind } from '../fields/fields.js';
import { says } from '../lexicon/lexicon.js';
import type { Filter } from '../plan.js';
import { refuse } from '../refusal.js';
import type { Term } from '../words/terms.js';
import { isPlural } from '../words/things.js';
import { readFigure } from './figures.js';
import { type Acted, hasKind, isDate, isKind, type Reader, unitOf } from './reader.js';
import { numberTest } from './tests.js';

const RANKING: readonly Kind[] = ['number', ...DATES];

/** `by country and city`, `per department`, `each customer`. After a ranking, the field to rank by. */
export function readGroups(reader: Reader): Acted {
  const { draft } = reader;
  const figure = readFigure(reader);
  if (figure !== undefined) return rankedBy(reader, figure);
  const averaged = draft.figures.length > 0 && draft.figures.every(({ type }) => type === 'avg');
  if (reader.is('entity') && averaged) {
    // "the average cost per incident"
    reader.takeRecords();
    return;
  }
  if (!reader.is('name')) return false;
  if (draft.rank !== undefined && draft.rank.by === undefined && hasKind(reader.peek(), RANKING))
    return rankedBy(reader, reader.choose(RANKING));
  do {
    const { text } = reader.peek();
    const field = reader.choose();
    // "the average cost per unit" does not group by the number of units.
    if (field.kind === 'number' && isPlural(field.name) && !isPlural(text)) refuse('purpose', `per ${text}`);
    draft.groups.push(field);
  } while (reader.nextInList());
}

function rankedBy({ last, draft: { rank } }: Reader, by: Field | Figure): undefined {
  if (rank === undefined || rank.by !== undefined) refuse('purpose', last.text);
  rank.by = by;
}

/** `with more than 5 orders`, `with an average salary above 50000`. */
export function readHaving(reader: Reader): Acted {
  const { draft } = reader;
  const subject = draft.head ?? (draft.entity && draft.having.length === 0 ? undefined : draft.shown[0]);
  if (subject === undefined && draft.groups.length === 0) return false;
  const { text } = reader.peek();
  if (draft.entity && reader.is('total')) {
    // "customers with more than 20 orders and a total above 1000"
    if (draft.having.length > 0 && subject !== undefined) refuse('eachOrAll', text, [], subject.field.name);
    return false;
  }
  const counted = numberTest(reader, false);
  if (counted !== undefined) {
    if (!counted.explicit || counted.measure !== undefined || !reader.is('records')) return false;
    draft.having.push({ figure: reader.takeRecords(), test: counted.test as Filter });
    return;
  }
  const figure = readFigure(reader);
  const test = figure && numberTest(reader, false);
  if (figure === undefined || !test?.explicit || typeof test.test === 'number') return false;
  draft.having.push({ figure, test: test.test });
}

/** A direction alone is that of the last order, or of the one figure. */
export function readDirection({ draft, context }: Reader, term: Term): undefined {
  const [figure, ...others] = draft.figures;
  const isOne = draft.sort.length === 0 && others.length === 0;
  if (figure && isOne) draft.sort.push({ field: figure, direction: 1 });
  const last = draft.sort.at(-1) ?? refuse('missing', term.text, context.fields);
  last.direction = isKind(term, 'ascending') ? 1 : -1;
}

/** `sorted by salary`. */
export function readSort(reader: Reader, { text }: Term): undefined {
  const figure = reader.is('total') ? undefined : readFigure(reader);
  if (figure === undefined && !reader.is('field')) refuse('missing', text, reader.context.fields);
  reader.draft.sort.push({ field: figure ?? reader.choose(), direction: 1 });
}

/** `per month`, `each week`, `by weekday`; `hired per year`, of the date just named. */
type Maybe = Term | undefined;

export function readEach(reader: Reader, date: Maybe, group: Maybe, all: Maybe, unit: Term): Acted {
  // "every" is said of all records, or of each month.
  const isEach = all === undefined ? group !== undefined : says(reader.context, 'every', all.text);
  return isEach ? byUnit(reader, unit, date) : false;
}

/** "Which month had …" */
export function readWhen(reader: Reader, unit: Term): Acted {
  const isAsked = reader.draft.ask === 'which' && isKind(reader.peek(-2), 'which', 'what');
  return isAsked && !isKind(unit, 'periodic') ? byUnit(reader, unit) : false;
}

/** Groups by a unit of the calendar. "Monthly orders" are orders per month; a monthly fee is none. */
export function byUnit(reader: Reader, term: Term, named?: Term): undefined {
  const { draft, context } = reader;
  const { text } = term;
  const unit = unitOf(term)!;
  if (draft.calendar !== undefined || draft.groups.length > 0) refuse('calendarGroup', text);
  // "Average revenue per month" may be the average of the months.
  const saysFlow = reader.terms.slice(0, reader.at).some(({ total }) => total === true);
  if (draft.figures.some(({ type }) => type === 'avg') && saysFlow) refuse('purpose', `per ${text}`);
  const [field, ...others] = named?.fields?.filter(isDate) ?? [];
  if (field !== undefined && others.length > 0) refuse('columns', named!.text, [field, ...others]);
  if (field !== undefined) Object.assign(draft, { entity: true, dated: draft.dated ?? field });
  const days = unit === 'day' ? (field ?? draft.event ?? mainDate(text, context)) : undefined;
  // Days are values of a `date` column.
  if (days?.kind === 'day') draft.groups.push(days);
  else draft.calendar = { unit, text, ...(field && { field }) };
  if (draft.calendar && reader.nextInList()) refuse('calendarGroup', text);
}
