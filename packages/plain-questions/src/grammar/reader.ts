import type { Context } from '../context.js';
import { type Draft, type Figure, newDraft } from '../draft.js';
import { chosen } from '../fields/choose.js';
import { DATES, type Field, type Kind } from '../fields/fields.js';
import type { Role } from '../lexicon/lexicon.js';
import type { Filter } from '../plan.js';
import type { Period } from '../plans/days.js';
import type { Measure } from '../words/numbers.js';
import type { Term } from '../words/terms.js';
import type { Verb } from '../words/things.js';

/** The kinds that a term can have besides its role in the language. */
const KINDS = {
  any: () => true,
  number: (term: Term) => term.number !== undefined,
  /** `field`: the term names a field, and may be something else too. `name`: it can only be a field. */
  field: (term: Term) => term.fields !== undefined,
  name: (term: Term) => term.fields !== undefined && (term.role === undefined || term.role === 'filler'),
  numberField: (term: Term) => hasKind(term, ['number']),
  dateField: (term: Term) => hasKind(term, DATES) && term.role !== 'filler',
  values: (term: Term) => term.values !== undefined,
  /** What the records are called, or a word such as "records". */
  entity: (term: Term) => term.entity === true,
  records: (term: Term) => term.entity === true || term.role === 'record',
  total: (term: Term) => term.total === true,
  /** A number that is only ever added up. */
  flow: (term: Term) => term.total === true && hasKind(term, ['number']),
  period: (term: Term) => term.period !== undefined,
  time: (term: Term) => term.period !== undefined || term.year === true,
  unit: (term: Term) => unitOf(term) !== undefined,
  /** A verb that only says that records exist. A verb of motion needs a place after it. */
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

/** A word that is also a column or a value is read as that. */
export function verbOf({ verb, values, fields }: Term): Verb | undefined {
  return values !== undefined || fields?.some(field => !isDate(field)) ? undefined : verb;
}

/** The unit of the calendar that a term stands for. */
export function unitOf({ role, fields, unit }: Term): Term['unit'] {
  return role === 'weekday' ? role : fields === undefined ? unit : undefined;
}

/**
 * A row of the table: a shape, an example question, and the meaning of its named terms. A term that is absent is
 * undefined.
 */
type Row<Result> = readonly [
  shape: string,
  example: string,
  means: (reader: Reader, ...found: Term[]) => Result | undefined,
];

/** A comparison with a number, before its field is known. */
export interface NumberTest {
  readonly test: (not: boolean) => Filter | number;
  readonly measure?: Measure | undefined;
  /** False for a bare number. Its field must stand next to it. */
  readonly explicit: boolean;
}

/**
 * The parts of the table of shapes, with the result of the functions of their rows. Undefined or false leaves the terms
 * to the next row.
 */
export interface Shapes {
  readonly asking: readonly Row<unknown>[];
  readonly conditions: readonly Row<Filter>[];
  readonly numbers: readonly Row<NumberTest>[];
  readonly times: readonly Row<Period>[];
  readonly naming: readonly Row<unknown>[];
}

/** The result of a function of these parts. False leaves the terms to the next row. */
export type Acted = false | undefined;
type Acts = 'asking' | 'naming';
type ResultOf<Part extends keyof Shapes> = Exclude<ReturnType<Shapes[Part][number][2]>, undefined>;

/** The kind of the end of the question. */
const END: Term = { text: '' };

/** Reads terms one after the other, and goes back if a reading fails. */
export class Reader {
  at = 0;
  readonly draft: Draft = newDraft();
  /** True if the next condition continues the previous one. */
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

  /** Goes back to where it was if the reading returns undefined or false. */
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

  /** Runs the function of the first row of a part that fits the next terms. */
  act(part: Acts): boolean {
    const acts = this.shapes[part].find(([shape, , means]) =>
      this.attempt(() => {
        const found = this.match(shape);
        return found && means(this, ...found) !== false ? true : undefined;
      }),
    );
    return acts !== undefined;
  }

  /** The result of the first row of a part that fits the next terms. */
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

  /** Looks ahead. True if a condition begins here. */
  isCondition(): boolean {
    const { at, joined } = this;
    this.joined = false;
    const found = this.first('conditions') !== undefined;
    Object.assign(this, { at, joined });
    return found;
  }

  /** Reads "and", "or" and commas before the next term. */
  joint(): 'and' | 'or' | undefined {
    let joined: 'and' | 'or' | undefined;
    while (this.is('and', 'or', 'comma')) {
      joined = isKind(this.take(), 'or') || joined === 'or' ? 'or' : 'and';
    }
    return joined;
  }

  /** Another field after "and" or a comma that does not begin a condition. */
  nextInList(): boolean {
    const isNext = this.attempt(() => {
      const joint = this.joint();
      this.accept('group');
      return joint === 'and' && this.match('!total &name') && !this.isCondition() ? true : undefined;
    });
    return isNext === true;
  }

  /** The records as the thing that is counted: "number of orders". */
  takeRecords(): Figure {
    this.take();
    this.draft.entity = true;
    return { type: 'count' };
  }

  /** Takes the next term and returns the one field that it names. */
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
 * Kinds of terms, separated by spaces: `between|from number`. `a?` is optional, `a*` is optional and repeatable, `&a`
 * must come next but is not taken, `!a` must not come next, `@a` is passed to the function of the row. `…test` stands
 * for terms that the function reads itself.
 */
function parsedShape(shape: string) {
  const parts = shape.split(' ').filter(part => !part.startsWith('…'));
  return parts.map(part => {
    const [, named, before, kinds, after] = /^(@?)([&!]?)(.*?)([?*]?)$/.exec(part)!;
    const mark = before || after || undefined;
    return { kinds: kinds!.split('|') as TermKind[], mark, named: named !== '' };
  });
}
