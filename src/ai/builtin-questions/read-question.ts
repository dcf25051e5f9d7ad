import { chosen, DATES, hasKind, mainDate, mainSize } from './choose.js';
import { key } from './concepts.js';
import { Cursor, isField, isRole } from './cursor.js';
import { type Draft, type Figure, type Filter, newDraft } from './draft.js';
import type { Field, Kind } from './fields.js';
import type { Mark } from './marks.js';
import { Conditions } from './read-conditions.js';
import { numberTest } from './read-tests.js';
import type { Ground } from './recognise.js';
import {
  refuseCalendarGroup,
  refuseFields,
  refuseKind,
  refuseMissing,
  refuseMixedLogic,
  refusePurpose,
  refuseUnsupported,
  refuseWord,
} from './refusal.js';

/** How many "the largest orders" are when no number is said. */
const TOP = 10;
const FIGURES = ['sum', 'avg', 'min', 'max'] as const;
const SUPERLATIVES = ['min', 'max', 'top', 'bottom', 'newest', 'oldest'] as const;

/** Reads the marks of a question from first to last. Every mark is used, or the question is refused for it. */
export function readQuestion(marks: readonly Mark[], ground: Ground): Draft {
  const meaningful = marks.filter(mark => mark.role !== 'filler' || mark.fields || mark.values);
  return new QuestionReader(meaningful, ground).read();
}

class QuestionReader {
  private readonly cursor: Cursor;
  private readonly conditions: Conditions;
  private readonly draft = newDraft();

  constructor(
    marks: readonly Mark[],
    private readonly ground: Ground,
  ) {
    this.cursor = new Cursor(marks);
    this.conditions = new Conditions(this.cursor, ground);
  }

  read(): Draft {
    while (!this.cursor.done) this.step();
    this.conditions.refuseDoubtfulDates();
    return this.draft;
  }

  private step(): void {
    const joined = this.joint();
    const { cursor } = this;
    if (cursor.done) {
      if (joined === 'or') refuseMixedLogic();
      return;
    }
    const readings = [
      this.unsupported,
      this.asked,
      this.counted,
      this.having,
      this.grouped,
      this.sorted,
      this.ranked,
      this.superlative,
      this.figured,
      this.limited,
    ];
    if (joined !== 'or' && readings.some(read => cursor.attempt(() => read.call(this)))) return;
    const filter = this.conditions.next(this.draft, joined !== undefined);
    if (filter !== undefined) {
      this.draft.conditions.push({ filter, joined: joined === 'or' ? 'or' : 'and' });
      return;
    }
    if (joined === 'or') refuseMixedLogic();
    const rest = [this.named, this.mentioned, this.little];
    if (rest.some(read => cursor.attempt(() => read.call(this)))) return;
    const { text } = cursor.peek();
    refuseWord(text, this.ground.fields, this.ground.values.like(text.toLowerCase()));
  }

  /** "and", "or" and commas before the next piece. */
  private joint(): 'and' | 'or' | undefined {
    let joined: 'and' | 'or' | undefined;
    while (this.cursor.is('and', 'or') || this.cursor.peek().comma) {
      const or = isRole(this.cursor.take(), 'or');
      joined = or || joined === 'or' ? 'or' : 'and';
    }
    return joined;
  }

  private unsupported(): undefined {
    if (this.cursor.is('unsupported')) refuseUnsupported(this.cursor.peek().text);
  }

  /** list, which, what: then the fields to show, if any. */
  private asked(): true | undefined {
    const ask = this.cursor.accept('list', 'which', 'what')?.role as Draft['ask'];
    if (ask === undefined) return undefined;
    this.cursor.accept('what', 'which');
    while (this.cursor.is('all')) this.cursor.take();
    this.draft.ask =
      this.draft.ask === 'list' ? 'list' : ask === 'what' && this.cursor.peek().entity ? 'which' : ask;
    return true;
  }

  private counted(): true | undefined {
    const { cursor, draft } = this;
    if (cursor.accept('exists')) {
      draft.count = true;
      return true;
    }
    if (cursor.accept('howMuch')) {
      draft.howMuch = true;
      return true;
    }
    if (!cursor.accept('count')) return undefined;
    draft.count = true;
    while (cursor.is('all')) cursor.take();
    if (cursor.accept('distinct')) draft.distinct = true;
    cursor.attempt(() => this.headline());
    return true;
  }

  /** The field that a question begins with is its subject: "how many countries", "which department". */
  private headline(): true | undefined {
    const mark = this.cursor.peek();
    if (!isField(mark) || mark.role !== undefined || mark.entity || hasKind(mark, ['boolean']))
      return undefined;
    if (this.isCondition()) return undefined;
    this.cursor.take();
    if (mark.values) refuseFields(mark.text, [...mark.fields, ...mark.values.map(({ field }) => field)]);
    this.draft.head = { field: chosen(mark, undefined, this.ground), plural: isPlural(mark.text) };
    return true;
  }

  /** Looks ahead: does a condition begin here? */
  private isCondition(): boolean {
    const { at } = this.cursor;
    const found = this.conditions.next(newDraft(), false) !== undefined;
    this.cursor.at = at;
    return found;
  }

  /** `with more than 5 orders`, `with an average salary above 50000`. */
  private having(): true | undefined {
    const { cursor, draft } = this;
    const subject = draft.head ?? (draft.entity ? undefined : draft.shown[0]);
    if (subject === undefined && draft.groups.length === 0) return undefined;
    cursor.accept('with', 'in');
    if (draft.entity && cursor.peek().total) return undefined;
    const counted = numberTest(cursor, false);
    if (counted?.explicit && counted.measure === undefined && (cursor.peek().entity || cursor.is('record'))) {
      cursor.take();
      draft.entity = true;
      draft.having.push({ figure: { type: 'count' }, test: counted.test as Filter });
      return true;
    }
    const figure = counted === undefined ? this.figure() : undefined;
    const test = figure === undefined ? undefined : numberTest(cursor, false);
    if (figure === undefined || !test?.explicit || typeof test.test === 'number') return undefined;
    draft.having.push({ figure, test: test.test });
    return true;
  }

  /** One figure: `average salary`, `number of orders`, `total`. Takes nothing when there is none. */
  private figure(): Figure | undefined {
    return this.cursor.attempt(() => {
      if (this.cursor.accept('count')) return this.countOf();
      const whole = this.cursor.peek();
      const role = whole.total ? 'sum' : (this.cursor.accept(...FIGURES)?.role as Figure['type'] | undefined);
      if (role !== undefined && !whole.total) this.skipEntity();
      const mark = this.cursor.peek();
      if (role === undefined || !isField(mark) || !hasKind(mark, kindsOf(role))) return undefined;
      this.cursor.take();
      return { type: role, field: chosen(mark, kindsOf(role), this.ground) };
    });
  }

  /** "average order amount" is the average amount. */
  private skipEntity(): void {
    if (this.cursor.peek().entity && hasKind(this.cursor.peek(1), ['number'])) this.entityCount();
  }

  /** "number of orders", or "count" alone. */
  private countOf(): Figure | undefined {
    const next = this.cursor.peek();
    if (next.entity || isRole(next, 'record')) return this.entityCount();
    return isField(next) ? undefined : { type: 'count' };
  }

  private entityCount(): Figure {
    this.cursor.take();
    this.draft.entity = true;
    return { type: 'count' };
  }

  /** `by country and city`, `per department`, `each customer`; after a ranking, what is ranked by. */
  private grouped(): true | undefined {
    const { cursor, draft } = this;
    if (!cursor.accept('group', 'each')) return undefined;
    cursor.accept('each', 'all');
    const figure = this.figure();
    if (figure !== undefined) return this.rankedBy(figure);
    const mark = cursor.peek();
    // "the average cost per incident"
    if (mark.entity && draft.figures.length > 0 && draft.figures.every(({ type }) => type === 'avg'))
      return this.entityCount() && true;
    if (mark.calendarUnit && !isField(mark)) return this.groupedByDay(mark);
    if (!isField(mark) || (mark.role !== undefined && mark.role !== 'filler')) return undefined;
    if (
      draft.rank !== undefined &&
      draft.rank.by === undefined &&
      hasKind(mark, ['number', 'day', 'instant'])
    ) {
      cursor.take();
      return this.rankedBy(chosen(mark, ['number', 'day', 'instant'], this.ground));
    }
    do {
      draft.groups.push(chosen(cursor.take(), undefined, this.ground));
    } while (cursor.attempt(() => this.nextInList()));
    return true;
  }

  private rankedBy(by: Field | Figure): true {
    const { draft } = this;
    if (draft.rank !== undefined && draft.rank.by === undefined) draft.rank.by = by;
    else refusePurpose(this.cursor.last.text);
    return true;
  }

  private groupedByDay(mark: Mark): true {
    const date = /^(?:day|jour)/i.test(mark.text) ? mainDate(mark.text, this.ground) : undefined;
    if (date?.kind !== 'day') refuseCalendarGroup(mark.text);
    this.cursor.take();
    this.draft.groups.push(date);
    return true;
  }

  /** Another field after "and" or a comma, that is no condition of its own. */
  private nextInList(): true | undefined {
    const joint = this.joint();
    this.cursor.accept('group');
    const mark = this.cursor.peek();
    const isNext =
      joint === 'and' && isField(mark) && !mark.total && (mark.role === undefined || mark.role === 'filler');
    return isNext && !this.isCondition() ? true : undefined;
  }

  private sorted(): true | undefined {
    const { cursor, draft } = this;
    const direction = cursor.accept('ascending', 'descending');
    if (direction !== undefined) {
      const [only] = draft.figures;
      if (draft.sort.length === 0 && draft.figures.length === 1)
        draft.sort.push({ field: only!, direction: 1 });
      const last = draft.sort.at(-1);
      if (last === undefined) refuseMissing(direction.text, this.ground.fields);
      last.direction = isRole(direction, 'ascending') ? 1 : -1;
      return true;
    }
    if (!cursor.accept('sort')) return undefined;
    const figure = cursor.peek().total ? undefined : this.figure();
    const mark = cursor.peek();
    if (figure === undefined && !isField(mark)) refuseMissing(cursor.last.text, this.ground.fields);
    draft.sort.push({ field: figure ?? chosen(cursor.take(), undefined, this.ground), direction: 1 });
    return true;
  }

  /** `the most orders`, `spent the most`, `fewest incidents`. */
  private ranked(): true | undefined {
    const { cursor } = this;
    const verb =
      hasKind(cursor.peek(), ['number']) && isRole(cursor.peek(1), 'most', 'fewest')
        ? cursor.take()
        : undefined;
    cursor.accept('with');
    const role = cursor.accept('most', 'fewest');
    if (role === undefined) return undefined;
    const direction = isRole(role, 'most') ? -1 : 1;
    if (verb !== undefined)
      return this.rankSubject({ type: 'sum', field: chosen(verb, ['number'], this.ground) }, direction);
    const mark = cursor.peek();
    if (mark.entity || isRole(mark, 'record')) return this.rankSubject(this.entityCount(), direction);
    if (!isField(mark) || !hasKind(mark, ['number']))
      refuseMissing(
        role.text,
        this.ground.fields.filter(({ kind }) => kind === 'number'),
      );
    cursor.take();
    return this.rankSubject({ type: 'sum', field: chosen(mark, ['number'], this.ground) }, direction);
  }

  /** Ranks the groups of the subject, or without one the records. */
  private rankSubject(by: Figure, direction: 1 | -1): true {
    const { draft } = this;
    if (draft.rank !== undefined) refusePurpose(this.cursor.last.text);
    const subject = draft.head ?? draft.shown[0];
    if (subject === undefined && (by.field === undefined || (!draft.entity && draft.ask !== 'which')))
      refusePurpose(this.cursor.last.text);
    const limit = subject === undefined || !subject.plural ? 1 : undefined;
    draft.rank = { direction, by: subject === undefined ? by.field! : by, ...(limit && { limit }) };
    return true;
  }

  /** `top 5 customers`, `the 3 lowest salaries`, `last 10 orders`, `the largest order`. */
  private superlative(): true | undefined {
    const { cursor, draft, ground } = this;
    cursor.accept('with');
    const before =
      cursor.peek().number !== undefined && isRole(cursor.peek(1), ...SUPERLATIVES)
        ? cursor.take().number
        : undefined;
    const mark = cursor.accept(...SUPERLATIVES);
    if (mark === undefined) return undefined;
    const role = mark.role as (typeof SUPERLATIVES)[number];
    const limit = before ?? (cursor.peek().number === undefined ? undefined : cursor.take().number);
    const direction = ['min', 'bottom', 'oldest'].includes(role) ? 1 : -1;
    const figure = cursor.peek().total && draft.head === undefined ? undefined : this.figure();
    if (figure !== undefined) return this.rankFigure(figure, direction);
    const noun = cursor.peek();
    const isDate = role === 'newest' || role === 'oldest';
    if (noun.entity || isRole(noun, 'record')) {
      cursor.take();
      draft.entity = true;
      if (draft.rank !== undefined) refusePurpose(mark.text);
      const by = isDate
        ? mainDate(mark.text, ground)
        : role === 'min' || role === 'max'
          ? mainSize(mark.text, ground)
          : undefined;
      const count = limit ?? draft.limit ?? (isPlural(noun.text) ? TOP : 1);
      draft.rank = { direction, ...(by && { by }), limit: count };
      return true;
    }
    if (!isField(noun) || (noun.role !== undefined && noun.role !== 'filler')) return undefined;
    if (role === 'top' || role === 'bottom') return this.topOf(noun, direction, limit);
    return this.extreme(noun, isDate ? DATES : ['number', ...DATES], direction, limit);
  }

  /** `highest average salary`: of the groups of the subject. */
  private rankFigure(figure: Figure, direction: 1 | -1): true | undefined {
    const { draft } = this;
    if (draft.head === undefined && draft.shown[0] === undefined) return undefined;
    return this.rankSubject(figure, direction);
  }

  /** `top 5 customers`: groups, ranked by what follows; `top 5 salaries`: records. */
  private topOf(noun: Mark, direction: 1 | -1, limit: number | undefined): true {
    const { cursor, draft, ground } = this;
    if (draft.rank !== undefined) refusePurpose(noun.text);
    cursor.take();
    const field = chosen(noun, undefined, ground);
    const count = limit ?? draft.limit ?? (isPlural(noun.text) ? TOP : 1);
    draft.rank = { direction, limit: count };
    if (field.kind === 'number') {
      draft.rank.by = field;
      draft.shown.push({ field, text: noun.text, plural: true });
    } else draft.head = { field, plural: true };
    return true;
  }

  /** `highest salary`: the figure itself, or whose it is. */
  private extreme(
    noun: Mark,
    kinds: readonly Kind[],
    direction: 1 | -1,
    limit: number | undefined,
  ): true | undefined {
    const { cursor, draft, ground } = this;
    const whose = draft.head !== undefined || draft.ask === 'which' || (draft.entity && this.followsWith());
    if (
      !whose &&
      limit === undefined &&
      draft.limit === undefined &&
      (draft.ask !== 'list' || !isPlural(noun.text))
    ) {
      if (!hasKind(noun, DATES)) return undefined;
      cursor.take();
      draft.figures.push({ type: direction === 1 ? 'min' : 'max', field: chosen(noun, kinds, ground) });
      return true;
    }
    if (draft.rank !== undefined) refusePurpose(noun.text);
    cursor.take();
    const field = chosen(noun, kinds, ground);
    if (draft.head !== undefined)
      return this.rankSubject({ type: direction === 1 ? 'min' : 'max', field }, direction);
    if (limit !== undefined) draft.shown.push({ field, text: noun.text, plural: true });
    draft.rank = { direction, by: field, limit: limit ?? draft.limit ?? (isPlural(noun.text) ? TOP : 1) };
    return true;
  }

  private followsWith(): boolean {
    return isRole(this.cursor.peek(-2), 'with') || isRole(this.cursor.peek(-1), 'with');
  }

  /** `average and maximum salary`, `salaire moyen`, `total orders`. */
  private figured(): true | undefined {
    const { cursor, draft, ground } = this;
    const types: Figure['type'][] = [];
    const first = cursor.peek();
    do {
      const role = cursor.accept(...FIGURES)?.role;
      if (role !== undefined) types.push(role as Figure['type']);
    } while (
      types.length > 0 &&
      cursor.attempt(() => (this.joint() === 'and' && cursor.is(...FIGURES) ? true : undefined))
    );
    if (types.length === 0 && this.isAddedUp(first)) types.push('sum');
    if (types.length === 0) return undefined;
    // "the average number of users" is the average of the users.
    if (cursor.is('count') && hasKind(cursor.peek(1), ['number'])) cursor.take();
    this.skipEntity();
    const noun = cursor.peek();
    if (
      isField(noun) &&
      (noun.role === undefined || noun.role === 'filler') &&
      hasKind(noun, kindsOf(types[0]!))
    ) {
      return this.figuresOf(types);
    }
    if (this.postponed(types)) return true;
    if (types.join() === 'sum' && (noun.entity || isRole(noun, 'record'))) {
      draft.count = true;
      return true;
    }
    if (types.join() === 'sum' && draft.count) return true;
    if (first.fields !== undefined && types.length === 1) return this.wholeName(first, types[0]!);
    if (isField(noun)) refuseKind(first.text, noun.fields[0]!, ground.fields);
    return refuseMissing(
      first.text,
      ground.fields.filter(({ kind }) => kind === 'number'),
    );
  }

  /** "Total sales" asks for a sum, unless it is one of the fields to list. */
  private isAddedUp(mark: Mark): boolean {
    if (!mark.total || !hasKind(mark, ['number']) || this.draft.distinct) return false;
    if (isRole(this.cursor.peek(1), ...FIGURES)) return false;
    const isName = mark.fields!.some(({ words }) => key(mark.text.split(' ')) === words.join(' '));
    const listed = isName && !isRole(this.cursor.peek(1), 'group');
    if (this.draft.ask === 'list' && (listed || this.draft.shown.length > 0)) return false;
    return !this.isCondition();
  }

  /** `salaire moyen`, `le montant le plus élevé`, `salaire moyen le plus élevé`: the word comes after its field. */
  private postponed(types: readonly Figure['type'][]): true | undefined {
    const { cursor, draft } = this;
    const [type] = types as [Figure['type']];
    const direction = type === 'min' ? 1 : type === 'max' ? -1 : undefined;
    const field = draft.shown.at(-1)?.field ?? draft.head?.field;
    if (field === undefined || !kindsOf(type).includes(field.kind)) {
      const figure = direction === undefined || draft.head === undefined ? undefined : draft.figures.pop();
      return figure && this.rankSubject(figure, direction!);
    }
    if (draft.shown.pop() === undefined) draft.head = undefined;
    if (direction !== undefined && types.length === 1 && draft.rank === undefined) {
      if (draft.head !== undefined) return this.rankSubject({ type, field }, direction);
      if (draft.ask === 'which' || draft.limit !== undefined || isRole(cursor.peek(-3), 'with')) {
        draft.rank = { direction, by: field, limit: draft.limit ?? 1 };
        return true;
      }
    }
    draft.figures.push(...types.map(each => ({ type: each, field })));
    return true;
  }

  private figuresOf(types: readonly Figure['type'][]): true {
    const { cursor, draft, ground } = this;
    do {
      const mark = cursor.take();
      for (const type of types) draft.figures.push({ type, field: chosen(mark, kindsOf(type), ground) });
    } while (cursor.attempt(() => this.nextInList()));
    return true;
  }

  /** The word for a figure that is a field's whole name too: the sum of `total`. */
  private wholeName(mark: Mark, type: Figure['type']): true {
    this.draft.figures.push({ type, field: chosen(mark, kindsOf(type), this.ground) });
    return true;
  }

  /** `show 10 orders`, and `order 1042`. */
  private limited(): true | undefined {
    const { cursor, draft, ground } = this;
    const [first, second] = [cursor.peek(), cursor.peek(1)];
    const begins = draft.ask !== undefined || cursor.at === 0;
    if (first.number !== undefined && (second.entity || isRole(second, 'record')) && begins) {
      cursor.at += 2;
      draft.entity = true;
      draft.limit = first.number;
      return true;
    }
    if (!first.entity || second.number === undefined || second.measure) return undefined;
    cursor.at += 2;
    draft.entity = true;
    const names = ['number', 'numero', 'no', 'id', 'code', 'reference', 'ref', 'key'];
    const named = ground.fields.filter(
      ({ words, kind }) =>
        (kind === 'number' || kind === 'text') &&
        words.some(word => names.includes(word)) &&
        words.every(word => names.includes(word) || ground.entity.includes(word)),
    );
    if (named.length !== 1) return undefined;
    const [field] = named as [Field];
    const value =
      field.kind === 'number'
        ? second.number
        : second.values?.find(match => match.field === field)?.values[0];
    if (value === undefined) return undefined;
    draft.conditions.push({ filter: { [field.name]: value }, joined: 'and' });
    return true;
  }

  /** The records themselves: "orders", "rows"; and "different countries". */
  private named(): true | undefined {
    const { cursor, draft } = this;
    if (cursor.peek().entity || cursor.is('record')) {
      cursor.take();
      draft.entity = true;
      return true;
    }
    if (!cursor.accept('distinct')) return undefined;
    draft.distinct = true;
    return draft.head === undefined ? this.headline() : true;
  }

  /** A field that is to be shown, where a question can name one. */
  private mentioned(): true | undefined {
    const { cursor, draft, ground } = this;
    const showing = cursor.accept('showing') !== undefined;
    const mark = cursor.peek();
    if (!isField(mark) || (mark.role !== undefined && mark.role !== 'filler')) return undefined;
    const follows =
      isRole(cursor.last, 'list', 'which', 'what', 'all', 'distinct') || cursor.at === 0 || showing;
    const continues = draft.shown.length > 0 && (isRole(cursor.last, 'and') || cursor.last.comma === true);
    const free =
      draft.ask === 'what' ||
      draft.howMuch ||
      (hasKind(mark, ['number']) && isRole(cursor.peek(1), ...FIGURES));
    if (!follows && !continues && !free) return undefined;
    if (draft.ask === 'which' && draft.head === undefined && isRole(cursor.last, 'which', 'distinct', 'all'))
      return this.headline();
    if (mark.values && !showing)
      refuseFields(mark.text, [...mark.fields, ...mark.values.map(({ field }) => field)]);
    cursor.take();
    draft.shown.push({
      field: chosen(mark, undefined, ground),
      text: mark.text,
      plural: isPlural(mark.text),
    });
    return true;
  }

  /** Words that only help: prepositions before what was read, "all". */
  private little(): true | undefined {
    if (this.cursor.accept('in', 'with')) return true;
    return this.cursor.accept('from', 'to', 'all', 'eq') && !this.cursor.done ? true : undefined;
  }
}

function kindsOf(type: Figure['type']): readonly Kind[] {
  return type === 'min' || type === 'max' ? ['number', ...DATES] : ['number'];
}

/** Near enough for "which department" and "which departments", in both languages. */
function isPlural(text: string): boolean {
  return /[sx]$/i.test(text) && !/(?:ss|us|is)$/i.test(text);
}
