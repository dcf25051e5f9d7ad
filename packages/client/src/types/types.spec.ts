import { describe, expectTypeOf, it } from 'vitest';
import type {
  AggregateRow,
  AnyCollection,
  Filter,
  Insert,
  Loose,
  Projected,
  Row,
  Sort,
  Update,
} from './index.js';

interface Books {
  columns: {
    title: { type: 'text'; nullable: false };
    year: { type: 'integer'; nullable: true };
    price: { type: 'double'; nullable: true };
    lent: { type: 'boolean'; nullable: true };
    printed: { type: 'date'; nullable: true };
    read_at: { type: 'datetime'; nullable: true };
    tags: { type: 'array'; nullable: true };
    details: { type: 'json'; nullable: true };
  };
  flexible: { city: { type: 'text'; nullable: true } };
}

const accepts = <T>(..._values: readonly T[]): void => undefined;

describe('a filter', () => {
  it('accepts the operators of the type of the column', () => {
    accepts<Filter<Books>>(
      {},
      { year: 1815 },
      { year: null },
      { year: { $gt: 1900, $in: [1, null], $mod: [2, 0], $bitsAllSet: [1] } },
      { title: { $regex: '^E', $options: 'i' }, $or: [{ lent: true }, { tags: 'novel' }] },
      { tags: { $all: ['a'], $size: 2, $elemMatch: { $regex: 'x' }, $regex: '^n' } },
      { 'details.city': 'Paris', 'details.pages': { $gt: 2 }, 'tags.0': 'novel', city: 'London' },
      { year: { $not: { $gt: 5 } } },
      { created_at: { $gte: '2026-01-01' }, _id: { $in: ['a'] } },
    );
  });

  it('refuses the operators of other types, other values and unknown names', () => {
    // @ts-expect-error a text has no $mod
    accepts<Filter<Books>>({ title: { $mod: [2, 0] } });
    // @ts-expect-error a year is a number
    accepts<Filter<Books>>({ year: '1815' });
    // @ts-expect-error a number has no $regex
    accepts<Filter<Books>>({ year: { $regex: 'x' } });
    // @ts-expect-error a misspelt column
    accepts<Filter<Books>>({ yaer: 1 });
    // @ts-expect-error a misspelt column in $or
    accepts<Filter<Books>>({ $or: [{ yaer: 1 }] });
    // @ts-expect-error a misspelt path
    accepts<Filter<Books>>({ 'detials.city': 'Paris' });
    // @ts-expect-error nothing is inside a number
    accepts<Filter<Books>>({ 'year.month': 1 });
    // @ts-expect-error an unknown operator
    accepts<Filter<Books>>({ details: { $near: 1 } });
  });
});

describe('an update', () => {
  it('accepts fields, or operators', () => {
    accepts<Update<Books>>(
      { year: 1, city: null, 'details.city': 'Paris' },
      { $inc: { year: 1, 'details.n': 2 }, $push: { tags: 'n', 'details.list': 1 } },
      { $unset: { year: '' }, $min: { price: 3 }, $max: { printed: '2026-01-01' } },
      { $set: { 'details.a.b': 1, title: 'x' }, $currentDate: { read_at: true } },
    );
  });

  it('refuses operators that the type of the column does not have, and a mixture', () => {
    // @ts-expect-error a text is not incremented
    accepts<Update<Books>>({ $inc: { title: 1 } });
    // @ts-expect-error a required column is not removed
    accepts<Update<Books>>({ $unset: { title: '' } });
    // @ts-expect-error fields beside operators
    accepts<Update<Books>>({ $set: { year: 1 }, title: 'x' });
    // @ts-expect-error fields beside operators
    accepts<Update<Books>>({ $set: { year: 1 }, 'details.city': 'x' });
    // @ts-expect-error a misspelt column
    accepts<Update<Books>>({ $set: { yaer: 1 } });
    // @ts-expect-error an unknown operator
    accepts<Update<Books>>({ $bit: { year: 1 } });
    // @ts-expect-error null in a required column
    accepts<Update<Books>>({ title: null });
  });
});

describe('a record', () => {
  it('has the types of its columns', () => {
    expectTypeOf<Row<Books>['title']>().toEqualTypeOf<string>();
    expectTypeOf<Row<Books>['year']>().toEqualTypeOf<number | null>();
    expectTypeOf<Row<Books>['city']>().toEqualTypeOf<string | null | undefined>();
    expectTypeOf<Row<Loose<Books>>['shelf']>().toEqualTypeOf<unknown>();
    expectTypeOf<Row<Loose<Books>>['title']>().toEqualTypeOf<string>();
    expectTypeOf<Row<AnyCollection>['title']>().toEqualTypeOf<unknown>();
  });

  it('needs its required columns when it is inserted', () => {
    // @ts-expect-error title is required
    accepts<Insert<Books>>({ year: 1 });
    // @ts-expect-error a misspelt column
    accepts<Insert<Books>>({ title: 'x', yaer: 1 });
    accepts<Insert<Books>>({ title: 'Emma' }, { title: 'Emma', year: null, city: 'x' });
    accepts<Insert<Loose<Books>>>({ title: 'x', shelf: 7 });
  });

  it('has the fields of a projection', () => {
    expectTypeOf<keyof Projected<Books, readonly ['title', 'details.a']>>().toEqualTypeOf<
      '_id' | 'title' | 'details'
    >();
    expectTypeOf<keyof Projected<Books, { title: 1; _id: 0 }>>().toEqualTypeOf<'title'>();
    expectTypeOf<keyof Projected<Books, { title: 1 }>>().toEqualTypeOf<'title' | '_id'>();
    expectTypeOf<Projected<Books, { title: 0 }>>().not.toHaveProperty('title');
    expectTypeOf<Projected<Books, { title: 0 }>>().toHaveProperty('year');
  });

  it('is sorted by known fields', () => {
    accepts<Sort<Books>>({ year: -1, 'details.city': 1, _id: 1 });
    // @ts-expect-error a misspelt column
    accepts<Sort<Books>>({ yaer: 1 });
  });
});

it('an aggregation has typed results', () => {
  type Result = AggregateRow<
    Books,
    'city',
    readonly [
      { type: 'count'; output_field: 'n' },
      { type: 'max'; input_field: 'year'; output_field: 'latest' },
    ]
  >;
  expectTypeOf<Result>().toEqualTypeOf<{ city: string | null; n: number; latest: number | null }>();
});
