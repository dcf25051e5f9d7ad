import type { Period } from '../../kernel/calendar.js';
import type { Context } from '../context.js';
import { type Draft, type Figure, newDraft } from '../draft.js';
import { chosen } from '../fields/choose.js';
import { DATES, type Field, type Kind } from '../fields/fields.js';
import type { Role } from '../lexicon/lexicon.js';
import type { Filter } from '../plan.js';
import type { Measure } from '../words/numbers.js';
import type { Term } from '../words/terms.js';
import type { Verb } from '../words/things.js';

/** What a term can be asked for besides its role in the language. */
const KINDS = {
  any: () => true,
  number: (term: Term) => term.number !== undefined,
  /** Names a field, whatever else it is; a name does nothing else. */
  field: (term: Term) => term.fields !== undefined,
  name: (term: Term) => term.fields !== undefined && (term.role === undefined || term.role === 'filler'),
  numberField: (term: Term) => hasKind(term, ['number']),
  dateField: (term: Term) => hasKind(term, DATES) && term.role !== 'filler',
  values: (term: Term) => term.values !== undefined,
  /** What the records are called; or a word such as "records" too. */
  entity: (term: Term) => term.entity === true,
  records: (term: Term) => term.entity === true || term.role === 'record',
  total: (term: Term) => term.total === true,
  /** A number that is only ever added up. */
  flow: (term: Term) => term.total === true && hasKind(term, ['number']),
  period: (term: Term) => term.period !== undefined,
  time: (term: Term) => term.period !== undefined || term.year === true,
  unit: (term: Term) => unitOf(term) !== undefined,
  /** A verb that only says that the records are there; one of motion needs a place behind it. */
  verb: (term: Term) => verbOf(term)?.motion === undefined && verbOf(term) !== undefined,
  motion: (term: Term) => verbOf(term)?.motion === true,
  ordinal: (term: Term) => term.ordinal !== undefined,
  comma: (term: Term) => term.comma === true,
} satisfies Record<string, (term: Term) => boolean>;

export type TermKind = Role | keyof typeof KINDS;

export function isKind(term: Term | undefined, ...kinds: readonly TermKind[]): boolean {
  if (term === undefined) return false;
  return kinds.some(kind => (kind in KINDS ? KINDS[kind as keyof typeof KINDS](term) : term.role === kind));
}

export function hasKind({ fields }: Term, kinds: readonly Kind[]): boolean {
  return fields?.some(({ kind }) => kinds.includes(kind)) === true;
}

export const isDate = ({ kind }: Field): boolean => DATES.includes(kind);

/** A word that names a column or a value too is left to be understood as such. */
export function verbOf({ verb, values, fields }: Term): Verb | undefined {
  return values !== undefined || fields?.some(field => !isDate(field)) ? undefined : verb;
}

/** The unit of the calendar that a term stands for. */
export function unitOf({ role, fields, unit }: Term): Term['unit'] {
  return role === 'weekday' ? role : fields === undefined ? unit : undefined;
}

/** A row: a shape, a question that is read by it, and what its named terms say. One that is missing is undefined. */
type Row<Result> = readonly [
  shape: string,
  example: string,
  means: (reader: Reader, ...found: Term[]) => Result | undefined,
];

/** A comparison to a number, before it is known which field it is made of. */
export interface NumberTest {
  readonly test: (not: boolean) => Filter | number;
  readonly measure?: Measure | undefined;
  /** False for a bare number, which says so little that its field must stand beside it. */
  readonly explicit: boolean;
}

/** The table of shapes, by what the rows of each part give. Undefined or false leaves the terms to the next row. */
export interface Shapes {
  readonly asking: readonly Row<unknown>[];
  readonly conditions: readonly Row<Filter>[];
  readonly numbers: readonly Row<NumberTest>[];
  readonly times: readonly Row<Period>[];
  readonly naming: readonly Row<unknown>[];
}

/** What a function of these parts gives: false leaves the terms to the next row. */
export type Acted = false | undefined;
type Acts = 'asking' | 'naming';
type ResultOf<Part extends keyof Shapes> = Exclude<ReturnType<Shapes[Part][number][2]>, undefined>;

/** Behind the last term. */
const END: Term = { text: '' };

/** Reads terms one after the other, and back where a reading does not work out. */
export class Reader {
  at = 0;
  readonly draft: Draft = newDraft();
  /** The next condition goes on from the one before it. */
  joined = false;

  constructor(
    readonly terms: readonly Term[],
    readonly context: Context,
    private readonly shapes: Shapes,
  ) {}

  get done(): boolean {
    return this.at >= this.terms.length;
  }

  peek(ahead = 0): Term {
    return this.terms[this.at + ahead] ?? END;
  }

  get last(): Term {
    return this.peek(-1);
  }

  take(): Term {
    this.at += 1;
    return this.last;
  }

  is(...kinds: readonly TermKind[]): boolean {
    return isKind(this.terms[this.at], ...kinds);
  }

  /** Takes the next term if it is of one of the kinds. */
  accept(...kinds: readonly TermKind[]): Term | undefined {
    return this.is(...kinds) ? this.take() : undefined;
  }

  /** Goes back to where it was when the reading gives nothing. */
  attempt<Result>(read: () => Result | undefined): Result | undefined {
    const start = this.at;
    const result = read();
    if (result === undefined) this.at = start;
    return result;
  }

  /** Takes terms that fit a shape. */
  match(shape: string): Term[] | undefined {
    return this.attempt(() => {
      const found: (Term | undefined)[] = [];
      for (const { kinds, mark, named } of stepsOf(shape)) {
        if (mark === '&' || mark === '!') {
          if (this.is(...kinds) !== (mark === '&')) return undefined;
          continue;
        }
        const term = this.accept(...kinds);
        if (term === undefined && mark === undefined) return undefined;
        while (mark === '*' && this.accept(...kinds));
        if (named) found.push(term);
      }
      return found as Term[];
    });
  }

  /** Lets the first row of a part act that fits the next terms. */
  act(part: Acts): boolean {
    const acts = this.shapes[part].find(([shape, , means]) =>
      this.attempt(() => {
        const found = this.match(shape);
        return found && means(this, ...found) !== false ? true : undefined;
      }),
    );
    return acts !== undefined;
  }

  /** What the first row of a part says that fits the next terms. */
  first<Part extends Exclude<keyof Shapes, Acts>>(part: Part): ResultOf<Part> | undefined {
    for (const [shape, , means] of this.shapes[part]) {
      const result = this.attempt(() => {
        const found = this.match(shape);
        return found && means(this, ...found);
      });
      if (result !== undefined) return result as ResultOf<Part>;
    }
    return undefined;
  }

  /** Looks ahead: does a condition begin here? */
  isCondition(): boolean {
    const { at, joined } = this;
    this.joined = false;
    const found = this.first('conditions') !== undefined;
    Object.assign(this, { at, joined });
    return found;
  }

  /** "and", "or" and commas before the next piece. */
  joint(): 'and' | 'or' | undefined {
    let joined: 'and' | 'or' | undefined;
    while (this.is('and', 'or', 'comma')) {
      joined = isKind(this.take(), 'or') || joined === 'or' ? 'or' : 'and';
    }
    return joined;
  }

  /** Another field after "and" or a comma, which is not a condition of its own. */
  nextInList(): boolean {
    const isNext = this.attempt(() => {
      const joint = this.joint();
      this.accept('group');
      return joint === 'and' && this.match('!total &name') && !this.isCondition() ? true : undefined;
    });
    return isNext === true;
  }

  /** The records as what is counted: "number of orders". */
  takeRecords(): Figure {
    this.take();
    this.draft.entity = true;
    return { type: 'count' };
  }

  /** The one field that the next term names, which is taken. */
  choose(kinds?: readonly Kind[]): Field {
    return chosen(this.take(), this.context, kinds);
  }
}

const STEPS = new Map<string, ReturnType<typeof parsedShape>>();

function stepsOf(shape: string) {
  const steps = STEPS.get(shape) ?? parsedShape(shape);
  STEPS.set(shape, steps);
  return steps;
}

/**
 * Kinds of terms, parted by spaces: `between|from number`. `a?` may be missing, `a*` may be missing or repeated, `&a`
 * comes next and is not taken, `!a` does not come next, `@a` is given to what the row means. `…test` stands for terms
 * that the row reads by itself.
 */
function parsedShape(shape: string) {
  const parts = shape.split(' ').filter(part => !part.startsWith('…'));
  return parts.map(part => {
    const [, named, before, kinds, after] = /^(@?)([&!]?)(.*?)([?*]?)$/.exec(part)!;
    const mark = before || after || undefined;
    return { kinds: kinds!.split('|') as TermKind[], mark, named: named !== '' };
  });
}
