import { checkUnit, chosen, DATES, hasKind, mainDate, mainNumber } from './choose.js';
import { type Cursor, isField, isRole } from './cursor.js';
import type { Filter } from './draft.js';
import type { Field } from './fields.js';
import type { Ground } from './ground.js';
import type { Mark } from './marks.js';
import { type NumberTest, numberTest, timeTest } from './read-tests.js';
import { readValues, valueTest } from './read-values.js';
import { refuseFields, refuseValue, refuseWord, refuseZeroOrNone } from './refusal.js';

/** Reads one condition at a time. What is none leaves the cursor where it was. */
export class Conditions {
  /** What "or under 10" goes on about. */
  private last: Field | undefined;
  /** The date that a bare "last month" was taken for, and the dates that a word such as "shipped" may mean as well. */
  private assumed: Field | undefined;
  private possible: Field[] = [];
  /** "in France and Norway": one record has only one of them, somebody's records may have both. */
  saysBoth = false;
  /** The date that has been named before its time: "hires" in 2025, "left each month" of 2026. */
  dated: Field | undefined;

  constructor(
    private readonly cursor: Cursor,
    private readonly ground: Ground,
  ) {}

  /** `joined`: the condition goes on from the one before it. */
  next(joined: boolean): Filter | undefined {
    const readings = [this.ofField, this.ofValues, this.ofPresence, this.ofTime, this.ofNumber];
    for (const read of readings) {
      const found = this.cursor.attempt(() => {
        const not = this.cursor.accept('not') !== undefined;
        return read.call(this, not, joined);
      });
      if (found !== undefined) return found;
    }
    return undefined;
  }

  private condition(field: Field, test: unknown): Filter {
    this.last = field;
    return { [field.name]: test };
  }

  /** `amount over 100`, `hired since 2020`, `status is not open`, `active`. */
  private ofField(notBefore: boolean): Filter | undefined {
    // "with a discount above 10", "on trial"
    this.cursor.accept('with', 'in');
    const mark = this.cursor.peek();
    if (!isField(mark) || (mark.role !== undefined && mark.role !== 'filler')) return undefined;
    this.cursor.take();
    this.cursor.attempt(() => (this.cursor.accept('in', 'with') && this.startsTest() ? true : undefined));
    const test = this.cursor.attempt(() => {
      const not = this.cursor.accept('not') !== undefined || notBefore;
      return this.testOf(mark, not);
    });
    // "paid but not shipped": what follows a flag is not said of it.
    return test ?? this.flag(mark, notBefore);
  }

  private startsTest(): true | undefined {
    return this.cursor.is('gt', 'gte', 'lt', 'lte', 'between', 'not') || this.cursor.peek().values
      ? true
      : undefined;
  }

  private testOf(mark: Mark, not: boolean): Filter | undefined {
    const { cursor } = this;
    if (hasKind(mark, ['number'])) {
      const found = numberTest(cursor, not);
      if (found !== undefined) return this.compare(chosen(mark, ['number'], this.ground), found);
    }
    if (hasKind(mark, DATES)) {
      const test = timeTest(cursor, not);
      if (test !== undefined) return this.condition(chosen(mark, DATES, this.ground), test);
    }
    const presence = cursor.accept('empty', 'filled');
    if (presence !== undefined)
      return this.presence(chosen(mark, undefined, this.ground), isRole(presence, 'empty') === not, true);
    // Neither takes a word that it does not need: "paid but not shipped".
    return cursor.attempt(() => this.partOf(mark, not)) ?? cursor.attempt(() => this.valueOf(mark, not));
  }

  private compare(field: Field, { test, measure }: NumberTest): Filter {
    checkUnit(field, measure, this.ground);
    return this.condition(field, test);
  }

  /** `name contains "x"`; an element of a list is compared as a whole. */
  private partOf(mark: Mark, not: boolean): Filter | undefined {
    const how = this.cursor.accept('contains', 'starts', 'ends');
    if (how === undefined) return undefined;
    const field = chosen(mark, ['text', 'list'], this.ground);
    const { text } = this.cursor.take();
    if (text === '') refuseWord(how.text, this.ground.fields, []);
    const escaped = text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
    const pattern = how.role === 'starts' ? `^${escaped}` : how.role === 'ends' ? `${escaped}$` : escaped;
    if (field.kind === 'list') {
      const values = readValuesOf(field, text, this.ground);
      return this.condition(field, valueTest(values, not));
    }
    const test = { $regex: pattern, $options: 'i' };
    return this.condition(field, not ? { $not: test } : test);
  }

  /** `status open or pending`, `status = "frozen"`. */
  private valueOf(mark: Mark, notBefore: boolean): Filter | undefined {
    const { cursor, ground } = this;
    const equals = cursor.accept('eq') !== undefined;
    const not = cursor.accept('not') !== undefined || notBefore;
    const found = readValues(cursor, mark.fields!, not);
    if (found !== undefined) {
      if (found.fields.length > 1) refuseFields(mark.text, found.fields);
      this.saysBoth ||= found.both;
      return this.condition(found.fields[0]!, found.test);
    }
    const [field] = mark.fields!;
    if (field?.kind === 'boolean') return this.saidFlag(mark, not);
    const literal = cursor.peek();
    if ((literal.quoted || (equals && literal.text !== '')) && hasKind(mark, ['text', 'list'])) {
      const text = chosen(mark, ['text', 'list'], ground);
      if (!literal.quoted) refuseValue(literal.text, text, ground.values.of(text));
      cursor.take();
      return this.condition(text, valueTest([literal.text], not));
    }
    return undefined;
  }

  /** `active = true`, `remote: yes`. */
  private saidFlag(mark: Mark, not: boolean): Filter | undefined {
    const said = /^(?:(true|yes|vrai|oui)|(false|faux))$/i.exec(this.cursor.peek().text);
    if (said === null) return undefined;
    this.cursor.take();
    return this.condition(chosen(mark, ['boolean'], this.ground), (said[1] !== undefined) !== not);
  }

  private flag(mark: Mark, not: boolean): Filter | undefined {
    if (!mark.fields!.every(({ kind }) => kind === 'boolean')) return undefined;
    if (mark.values) refuseFields(mark.text, [...mark.fields!, ...mark.values.map(({ field }) => field)]);
    return this.condition(chosen(mark, ['boolean'], this.ground), (mark.contrary === true) === not);
  }

  /** `in Paris`, `not shipped`, `open or pending`, `high priority`. */
  private ofValues(notBefore: boolean): Filter | undefined {
    const { cursor } = this;
    while (cursor.accept('in', 'from', 'to', 'group', 'with', 'eq'));
    const not = cursor.accept('not') !== undefined || notBefore;
    const mark = cursor.peek();
    if (
      mark.values === undefined ||
      mark.number !== undefined ||
      mark.period ||
      (mark.role !== undefined && cursor.is('sum', 'avg', 'min', 'max'))
    )
      return undefined;
    const found = readValues(cursor, undefined, not);
    if (found === undefined) return undefined;
    this.saysBoth ||= found.both;
    const named = cursor.peek().fields?.filter(field => found.fields.includes(field)) ?? [];
    const fields =
      named.length > 0 && !isRole(cursor.peek(1), 'gt', 'lt', 'gte', 'lte') ? named : found.fields;
    const unsure = not && cursor.last === mark;
    if (named.length > 0) cursor.take();
    // "shipped" is a date only where a time follows, and that has been tried; "not shipped" may mean either.
    const others =
      mark.fields?.filter(field => !fields.includes(field) && (unsure || !DATES.includes(field.kind))) ?? [];
    if (fields.length + others.length > 1) refuseFields(mark.text, [...fields, ...others]);
    this.possible.push(...(mark.fields?.filter(({ kind }) => DATES.includes(kind)) ?? []));
    return this.condition(fields[0]!, found.test);
  }

  /** "Shipped to Paris last month": in which month it was ordered, or shipped? Called when all has been read. */
  refuseDoubtfulDates(): void {
    const { assumed, possible } = this;
    if (assumed !== undefined && possible.length > 0)
      refuseFields(possible[0]!.name, [...new Set([assumed, ...possible])]);
  }

  /** `without a phone`, `with an email`, `no owner`. */
  private ofPresence(not: boolean): Filter | undefined {
    const { cursor } = this;
    const role = cursor.accept('with', 'without')?.role;
    if (role === 'without' ? not : role === undefined && !not) return undefined;
    const mark = cursor.peek();
    if (!isField(mark) || (mark.role !== undefined && mark.role !== 'filler')) return undefined;
    cursor.take();
    const absent = role === 'without' || not;
    const found = absent ? readValues(cursor, mark.fields, true) : undefined;
    if (found !== undefined) {
      if (found.fields.length > 1) refuseFields(mark.text, found.fields);
      return this.condition(found.fields[0]!, found.test);
    }
    // "avec le montant le plus élevé" asks for the one that has the most.
    if (cursor.is('min', 'max', 'avg', 'sum')) return undefined;
    return this.presence(chosen(mark, undefined, this.ground), role === 'with' && !not, false);
  }

  private presence(field: Field, present: boolean, said: boolean): Filter {
    if (field.kind === 'boolean' && !said) return this.condition(field, present);
    if (field.kind === 'number' && !said) refuseZeroOrNone(field);
    const nothing = field.kind === 'text' ? [null, ''] : field.kind === 'list' ? [null, []] : null;
    if (nothing === null) return this.condition(field, present ? { $ne: null } : null);
    return this.condition(field, present ? { $nin: nothing } : { $in: nothing });
  }

  /** `last month`, `before 2024`: of the date just named, else of the main one. */
  private ofTime(not: boolean): Filter | undefined {
    const { at } = this.cursor;
    const start = this.cursor.peek();
    const test = timeTest(this.cursor, not);
    if (test === undefined) return undefined;
    const text = textOf(start, this.cursor.last);
    const values = this.cursor
      .behind()
      .slice(at)
      .flatMap(mark => mark.values ?? []);
    const date = this.dated ?? mainDate(text, this.ground);
    if (date !== this.dated) this.assumed = date;
    // A month, or somebody called May?
    if (values.length > 0) refuseFields(text, [date, ...values.map(({ field }) => field)]);
    return this.condition(date, test);
  }

  /** `over 100`, `more than 5 items`, `with 3 items`. */
  private ofNumber(not: boolean, joined: boolean): Filter | undefined {
    const { cursor } = this;
    const beside = cursor.accept('with', 'in', 'eq') !== undefined;
    const start = cursor.peek();
    const found = numberTest(cursor, not);
    if (found === undefined || !(found.explicit || beside)) return undefined;
    const mark = cursor.peek();
    if (isField(mark) && hasKind(mark, ['number'])) {
      cursor.take();
      return this.compare(chosen(mark, ['number'], this.ground), found);
    }
    if (!found.explicit || mark.entity || isRole(mark, 'record')) return undefined;
    const field =
      joined && this.last?.kind === 'number'
        ? this.last
        : mainNumber(textOf(start, cursor.last), found.measure, this.ground);
    return this.compare(field, found);
  }
}

function textOf(first: Mark, last: Mark): string {
  return first === last ? first.text : `${first.text} … ${last.text}`;
}

function readValuesOf(field: Field, text: string, ground: Ground): readonly string[] {
  const known = ground.values.quoted(text).find(match => match.field === field)?.values;
  return known ?? [text];
}
