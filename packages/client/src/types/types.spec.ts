import { describe, expectTypeOf, it } from 'vitest';
import type {
  Aggregate,
  AggregateRow,
  AggregateStep,
  AnyCollection,
  AnySchema,
  Change,
  CollectionShape,
  Distinct,
  Filter,
  Grant,
  GroupBy,
  Insert,
  Loose,
  Projected,
  Projection,
  Row,
  Schema,
  SchemaOf,
  Sort,
  Update,
  UpsertData,
} from './index.js';

// The compiler judges these tests (`npm run types`); Vitest only runs them.

interface Collections {
  books: {
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
    flexible: {
      city: { type: 'text'; nullable: true };
      shelf: { type: 'json'; nullable: true };
    };
  };
  loans: { id: '01a1'; columns: { by: { type: 'text'; nullable: false } } };
}

type Books = Collections['books'];
type LooseBooks = Loose<Books>;

const accepts = <T>(..._values: readonly T[]): void => undefined;

describe('a filter', () => {
  it('accepts values and the operators of the type of the column', () => {
    accepts<Filter<Books>>(
      {},
      { title: 'Emma', year: 1815, lent: false, printed: '1815-12-23', price: 1.5 },
      { year: null, title: { $in: ['a', null] } },
      { title: { $regex: '^E', $options: 'i', $search: 'x', $gt: 'a' } },
      { year: { $gt: 1900, $lte: 2000, $in: [1, null], $mod: [2, 0], $bitsAllSet: [1], $bitsAnyClear: 3 } },
      { price: { $gte: 1.5, $nin: [2] }, lent: { $ne: true }, read_at: { $lt: '2026-01-01' } },
      { year: { $exists: true, $type: ['int', 16] } },
      { year: { $not: { $gt: 5 } } },
      { $search: 'x', _id: { $in: ['a'] }, created_at: { $gte: '2026-01-01' } },
    );
  });

  it('compares an array as a whole or by its elements', () => {
    accepts<Filter<Books>>(
      { tags: 'novel' },
      { tags: ['novel'] },
      { tags: { $all: ['a', { $elemMatch: { $regex: 'b' } }], $size: 2 } },
      { tags: { $elemMatch: { $regex: 'x', $not: { $eq: 'y' } }, $regex: '^n', $in: ['a', ['b']] } },
      { 'tags.0': { $regex: '^n' } },
    );
    // @ts-expect-error the elements are texts
    accepts<Filter<Books>>({ tags: 5 });
    // @ts-expect-error the elements are texts
    accepts<Filter<Books>>({ tags: { $elemMatch: { $mod: [2, 0] } } });
    // @ts-expect-error the size is a number
    accepts<Filter<Books>>({ tags: { $size: '2' } });
  });

  it('combines filters', () => {
    accepts<Filter<Books>>({
      $and: [{ tags: 'a' }],
      $or: [{ year: 1 }, { lent: true }],
      $nor: [{ title: 'x' }],
    });
    // @ts-expect-error a misspelt column in $or
    accepts<Filter<Books>>({ $or: [{ yaer: 1 }] });
    // @ts-expect-error $not belongs to a field
    accepts<Filter<Books>>({ $not: { year: 1 } });
  });

  it('reaches into json, arrays and flexible fields by dotted names', () => {
    accepts<Filter<Books>>(
      { 'details.city': 'Paris', 'details.pages.0': { $gt: 2 }, details: { city: 'Paris' } },
      { city: 'London', shelf: 7, 'shelf.row': { $exists: true } },
      { details: { $elemMatch: { by: 'ada', days: { $gt: 20 } } } },
    );
    // @ts-expect-error a misspelt first part
    accepts<Filter<Books>>({ 'detials.city': 'Paris' });
    // @ts-expect-error nothing is inside a number
    accepts<Filter<Books>>({ 'year.month': 1 });
    // @ts-expect-error nothing is inside a flexible text
    accepts<Filter<Books>>({ 'city.name': 1 });
    // @ts-expect-error an unknown operator
    accepts<Filter<Books>>({ details: { $near: 1 } });
    // @ts-expect-error a flexible text has no $mod
    accepts<Filter<Books>>({ city: { $mod: [2, 0] } });
  });

  it('refuses misspelt columns, other values and the operators of other types', () => {
    // @ts-expect-error a misspelt column
    accepts<Filter<Books>>({ yaer: 1 });
    // @ts-expect-error a year is a number
    accepts<Filter<Books>>({ year: '1815' });
    // @ts-expect-error the values of $in are numbers
    accepts<Filter<Books>>({ year: { $in: ['1815'] } });
    // @ts-expect-error a text has no $mod
    accepts<Filter<Books>>({ title: { $mod: [2, 0] } });
    // @ts-expect-error a text has no $size
    accepts<Filter<Books>>({ title: { $size: 2 } });
    // @ts-expect-error a number has no $regex
    accepts<Filter<Books>>({ year: { $regex: 'x' } });
    // @ts-expect-error a number has no $regex in $not either
    accepts<Filter<Books>>({ year: { $not: { $regex: 'x' } } });
    // @ts-expect-error a date has no $regex
    accepts<Filter<Books>>({ printed: { $regex: '1815' } });
    // @ts-expect-error an instant has no bits
    accepts<Filter<Books>>({ created_at: { $bitsAllSet: 1 } });
    // @ts-expect-error the service refuses $where
    accepts<Filter<Books>>({ $where: 'true' });
    // @ts-expect-error an unknown operator
    accepts<Filter<Books>>({ year: { $near: 5 } });
    // @ts-expect-error an unknown type
    accepts<Filter<Books>>({ year: { $type: 'text' } });
    // @ts-expect-error operators and fields do not mix
    accepts<Filter<Books>>({ year: { $gt: 1, plain: 2 } });
  });

  it('of a loose collection accepts other fields, and checks the columns', () => {
    accepts<Filter<LooseBooks>>({ year: 1, city: 'x', unknown: { $gt: 1 }, 'unknown.path': 1 });
    accepts<Filter<AnyCollection>>({ anything: 1, 'a.b': { $in: [1] }, $or: [{ x: 1 }] });
    // @ts-expect-error a year is a number
    accepts<Filter<LooseBooks>>({ year: '1815' });
    // @ts-expect-error $or takes a list
    accepts<Filter<AnyCollection>>({ $or: { x: 1 } });
  });
});

describe('an update', () => {
  it('accepts fields to set', () => {
    accepts<Update<Books>>({ year: 1, city: null, 'details.city': 'Paris', 'tags.0': 'x', shelf: [1] });
    // @ts-expect-error a misspelt column
    accepts<Update<Books>>({ yaer: 1 });
    // @ts-expect-error null in a required column
    accepts<Update<Books>>({ title: null });
    // @ts-expect-error a misspelt first part
    accepts<Update<Books>>({ 'detials.city': 1 });
    // @ts-expect-error another type
    accepts<Update<Books>>({ $set: { year: '1815' } });
    // @ts-expect-error a misspelt column
    accepts<Update<Books>>({ $set: { yaer: 1 } });
    // @ts-expect-error the elements of an array are texts
    accepts<Update<Books>>({ $set: { 'tags.0': 1 } });
  });

  it('refuses fields beside operators, and unknown operators', () => {
    // @ts-expect-error a column beside an operator
    accepts<Update<Books>>({ $inc: { year: 1 }, title: 'x' });
    // @ts-expect-error a flexible field beside an operator
    accepts<Update<Books>>({ $inc: { year: 1 }, city: 'x' });
    // @ts-expect-error a path beside an operator
    accepts<Update<Books>>({ $inc: { year: 1 }, 'details.city': 'x' });
    // @ts-expect-error an unknown operator
    accepts<Update<Books>>({ $bit: { year: { and: 1 } } });
    // @ts-expect-error an unknown operator in a loose collection
    accepts<Update<AnyCollection>>({ $bit: { year: { and: 1 } } });
  });

  it('counts with numbers only', () => {
    accepts<Update<Books>>({ $inc: { year: 1, 'details.n': 2, shelf: 1 }, $mul: { price: 1.5 } });
    // @ts-expect-error a text is not incremented
    accepts<Update<Books>>({ $inc: { title: 1 } });
    // @ts-expect-error a flexible text is not multiplied
    accepts<Update<Books>>({ $mul: { city: 2 } });
    // @ts-expect-error the operand is a number
    accepts<Update<Books>>({ $inc: { year: '1' } });
    // @ts-expect-error a text is not incremented, not even in a loose collection
    accepts<Update<LooseBooks>>({ $inc: { title: 1 } });
    accepts<Update<LooseBooks>>({ $inc: { year: 1, unknown: 1, 'unknown.path': 1 } });
  });

  it('compares with values of the type of the column', () => {
    accepts<Update<Books>>({
      $min: { price: 3, 'details.n': 1 },
      $max: { printed: '2026-01-01', city: 'x' },
    });
    // @ts-expect-error a date is text
    accepts<Update<Books>>({ $max: { printed: 5 } });
    // @ts-expect-error null is no value to compare with
    accepts<Update<Books>>({ $min: { year: null } });
  });

  it('removes and renames only what a record can lack', () => {
    accepts<Update<Books>>({
      $unset: { year: '', city: true, 'details.city': 1 },
      $rename: { shelf: 'details.shelf' },
    });
    // @ts-expect-error a required column
    accepts<Update<Books>>({ $unset: { title: '' } });
    // @ts-expect-error a required column
    accepts<Update<Books>>({ $rename: { title: 'city' } });
    // @ts-expect-error a required column of a loose collection
    accepts<Update<LooseBooks>>({ $unset: { title: '' } });
    // @ts-expect-error an unknown name
    accepts<Update<Books>>({ $rename: { city: 'town' } });
    accepts<Update<LooseBooks>>({ $rename: { city: 'town' }, $unset: { unknown: '' } });
  });

  it('changes arrays', () => {
    accepts<Update<Books>>(
      { $push: { tags: 'n', 'details.list': { any: 1 } } },
      { $push: { tags: { $each: ['a'], $position: 0, $slice: -5, $sort: 1 } }, $addToSet: { shelf: 1 } },
      { $addToSet: { tags: { $each: ['a'] } }, $pop: { 'details.list': -1 } },
      { $pull: { tags: { $in: ['a'] }, 'details.list': { by: 'ada' } } },
      { $pullAll: { tags: ['a'], shelf: [1] } },
    );
    accepts<Update<LooseBooks>>({ $push: { unknown: 1, tags: 'n' }, $pullAll: { unknown: [1] } });
    // @ts-expect-error the elements are texts
    accepts<Update<Books>>({ $push: { tags: 1 } });
    // @ts-expect-error a number is no array
    accepts<Update<Books>>({ $push: { year: 1 } });
    // @ts-expect-error an unknown modifier
    accepts<Update<Books>>({ $addToSet: { tags: { $each: ['a'], $position: 0 } } });
    // @ts-expect-error 1 or -1
    accepts<Update<Books>>({ $pop: { tags: 2 } });
    // @ts-expect-error a list
    accepts<Update<Books>>({ $pullAll: { tags: 'a' } });
    // @ts-expect-error the elements are texts, in a loose collection too
    accepts<Update<LooseBooks>>({ $push: { tags: 1 } });
  });

  it('writes the time into instants, dates and texts', () => {
    accepts<Update<Books>>({
      $currentDate: { read_at: true, printed: { $type: 'date' }, 'details.at': true },
    });
    // @ts-expect-error a number holds no time
    accepts<Update<Books>>({ $currentDate: { year: true } });
  });

  it('of an upsert has the required columns, or operators', () => {
    accepts<UpsertData<Books>>({ title: 'Emma' }, { $set: { title: 'Emma' }, $setOnInsert: { year: 1815 } });
    // @ts-expect-error title is required
    accepts<UpsertData<Books>>({ year: 1815 });
  });
});

describe('a record', () => {
  it('has the types of its columns', () => {
    expectTypeOf<Row<Books>['_id']>().toEqualTypeOf<string>();
    expectTypeOf<Row<Books>['title']>().toEqualTypeOf<string>();
    expectTypeOf<Row<Books>['year']>().toEqualTypeOf<number | null>();
    expectTypeOf<Row<Books>['lent']>().toEqualTypeOf<boolean | null>();
    expectTypeOf<Row<Books>['printed']>().toEqualTypeOf<string | null>();
    expectTypeOf<Row<Books>['tags']>().toEqualTypeOf<string[] | null>();
    expectTypeOf<Row<Books>['details']>().toEqualTypeOf<unknown>();
  });

  it('may lack its flexible fields', () => {
    expectTypeOf<Row<Books>['city']>().toEqualTypeOf<string | null | undefined>();
    expectTypeOf<Row<Books>>().not.toHaveProperty('unknown');
  });

  it('of a loose collection has unknown values in other fields', () => {
    expectTypeOf<Row<LooseBooks>['unknown']>().toEqualTypeOf<unknown>();
    expectTypeOf<Row<LooseBooks>['title']>().toEqualTypeOf<string>();
    expectTypeOf<Row<AnyCollection>['title']>().toEqualTypeOf<unknown>();
    expectTypeOf<Row<AnyCollection>['_id']>().toEqualTypeOf<string>();
  });

  it('needs its required columns when it is inserted', () => {
    accepts<Insert<Books>>({ title: 'Emma' }, { title: 'Emma', year: null, city: 'x', details: [1] });
    accepts<Insert<LooseBooks>>({ title: 'x', unknown: 7 });
    accepts<Insert<AnyCollection>>({ anything: 7 });
    // @ts-expect-error title is required
    accepts<Insert<Books>>({ year: 1 });
    // @ts-expect-error title is required in a loose collection too
    accepts<Insert<LooseBooks>>({ unknown: 1 });
    // @ts-expect-error a misspelt column
    accepts<Insert<Books>>({ title: 'x', yaer: 1 });
    // @ts-expect-error null in a required column
    accepts<Insert<Books>>({ title: null });
  });

  it('can be inserted again as it was read', () => {
    expectTypeOf<Row<Books>>().toExtend<Insert<Books>>();
  });

  it('is the record of a change', () => {
    expectTypeOf<Change<Books>['record']>().toEqualTypeOf<Row<Books>>();
  });
});

describe('a projection', () => {
  it('by a list leaves these fields and _id', () => {
    type Shown = Projected<Books, readonly ['title', 'details.a', 'city']>;
    expectTypeOf<Shown>().branded.toEqualTypeOf<{
      readonly _id: string;
      title: string;
      details: unknown;
      city?: string | null;
    }>();
  });

  it('by an object leaves what it includes, or what it does not exclude', () => {
    expectTypeOf<keyof Projected<Books, { title: 1 }>>().toEqualTypeOf<'title' | '_id'>();
    expectTypeOf<keyof Projected<Books, { title: 1; _id: 0 }>>().toEqualTypeOf<'title'>();
    expectTypeOf<keyof Projected<Books, { title: true; 'details.a': 1 }>>().toEqualTypeOf<
      'title' | 'details' | '_id'
    >();
    expectTypeOf<keyof Projected<Books, { _id: 1 }>>().toEqualTypeOf<'_id'>();
    expectTypeOf<keyof Projected<Books, { _id: 0 }>>().toEqualTypeOf<Exclude<keyof Row<Books>, '_id'>>();
    expectTypeOf<keyof Projected<Books, { title: 0; 'details.a': 0 }>>().toEqualTypeOf<
      Exclude<keyof Row<Books>, 'title'>
    >();
  });

  it('of a loose collection leaves the named fields', () => {
    expectTypeOf<Projected<LooseBooks, readonly ['title', 'unknown']>['title']>().toEqualTypeOf<string>();
    expectTypeOf<Projected<LooseBooks, readonly ['title', 'unknown']>['unknown']>().toEqualTypeOf<unknown>();
    expectTypeOf<Projected<LooseBooks, readonly ['title']>>().not.toHaveProperty('year');
    expectTypeOf<keyof Projected<AnyCollection, { a: 1 }>>().toEqualTypeOf<'_id' | 'a'>();
    expectTypeOf<Projected<AnyCollection, { a: 0 }>['b']>().toEqualTypeOf<unknown>();
  });

  it('that is not known at compile time leaves each field optional', () => {
    expectTypeOf<Projected<Books, string[]>>().toEqualTypeOf<Partial<Row<Books>>>();
    expectTypeOf<Projected<Books, undefined>>().toEqualTypeOf<Row<Books>>();
  });

  it('names known fields, and does not both include and exclude', () => {
    accepts<Projection<Books>>(['title', 'details.a'], { title: 1, _id: 0 }, { 'details.a': 0, year: false });
    accepts<Projection<AnyCollection>>(['anything'], { anything: 0 });
    // @ts-expect-error a misspelt column
    accepts<Projection<Books>>(['titel']);
    // @ts-expect-error a misspelt column
    accepts<Projection<Books>>({ titel: 1 });
    // @ts-expect-error both
    accepts<Projection<Books>>({ title: 1, year: 0 });
  });
});

it('a sort names known fields', () => {
  accepts<Sort<Books>>({ year: -1, 'details.city': 1, city: 1, _id: 1 });
  accepts<Sort<AnyCollection>>({ anything: 1, 'a.b': -1 });
  // @ts-expect-error a misspelt column
  accepts<Sort<Books>>({ yaer: 1 });
  // @ts-expect-error a misspelt first part
  accepts<Sort<Books>>({ 'detials.city': 1 });
  // @ts-expect-error 1 or -1
  accepts<Sort<Books>>({ year: 2 });
});

describe('an aggregation', () => {
  const aggregate = <
    const S extends readonly AggregateStep<Books>[],
    const G extends GroupBy<Books> | undefined = undefined,
  >(
    _request: Aggregate<Books, G, S>,
  ): AggregateRow<Books, G, S>[] => [];

  it('has typed results', () => {
    const results = aggregate({
      group_by: ['city', 'title', 'details.kind'],
      steps: [
        { type: 'count', output_field: 'books' },
        { type: 'sum', input_field: 'price', output_field: 'total' },
        { type: 'avg', input_field: 'details.pages', output_field: 'pages' },
        { type: 'max', input_field: 'printed', output_field: 'latest' },
      ],
      filter: { year: { $gt: 1900 } },
      sort: { total: -1, city: 1 },
      having: { books: { $gt: 1 }, latest: { $gte: '1900-01-01' } },
      limit: 10,
    });
    expectTypeOf(results).branded.toEqualTypeOf<
      {
        city: string | null;
        title: string;
        'details.kind': unknown;
        books: number;
        total: number;
        pages: number | null;
        latest: string | null;
      }[]
    >();
    expectTypeOf(aggregate({ steps: [{ type: 'count', output_field: 'n' }] })).branded.toEqualTypeOf<
      { n: number }[]
    >();
  });

  it('has typed periods, ranges and steps', () => {
    const results = aggregate({
      group_by: [
        { field: 'printed', every: 'month', zone: 'Europe/Paris', as: 'month' },
        { field: 'created_at', every: 'hour' },
        { field: 'price', step: 10 },
        { field: 'title', as: 'name' },
        'city',
      ],
      steps: [
        { type: 'median', input_field: 'price', output_field: 'median' },
        { type: 'percentile', at: 0.9, input_field: 'details.pages', output_field: 'p90' },
        {
          type: 'count_distinct',
          input_field: 'title',
          output_field: 'titles',
          filter: { year: { $gt: 1900 } },
        },
        { type: 'last', input_field: 'title', sort: { created_at: 1 }, output_field: 'latest' },
      ],
      having: { month: { $gte: '2026-01-01' }, titles: { $gt: 1 } },
      sort: { month: -1, p90: 1 },
    });
    expectTypeOf(results).branded.toEqualTypeOf<
      {
        month: string | null;
        created_at: string;
        price: number | null;
        name: string;
        city: string | null;
        median: number | null;
        p90: number | null;
        titles: number;
        latest: string | null;
      }[]
    >();
    const n = [{ type: 'count', output_field: 'n' }] as const;
    expectTypeOf(
      aggregate({ group_by: { field: 'printed', every: 'year' }, fill: true, steps: n }),
    ).branded.toEqualTypeOf<{ printed: string | null; n: number }[]>();
    // @ts-expect-error a text has no periods
    aggregate({ group_by: { field: 'title', every: 'month' }, steps: n });
    // @ts-expect-error no such period
    aggregate({ group_by: { field: 'printed', every: 'decade' }, steps: n });
    // @ts-expect-error a text has no ranges
    aggregate({ group_by: { field: 'title', step: 10 }, steps: n });
    // @ts-expect-error a percentile needs to know which
    aggregate({ steps: [{ type: 'percentile', input_field: 'price', output_field: 'p' }] });
    // @ts-expect-error the first needs an order
    aggregate({ steps: [{ type: 'first', input_field: 'price', output_field: 'p' }] });
  });

  it('refuses unknown fields, and sums of what are no numbers', () => {
    // @ts-expect-error a text has no sum
    aggregate({ steps: [{ type: 'sum', input_field: 'title', output_field: 'n' }] });
    // @ts-expect-error a maximum needs a field
    aggregate({ steps: [{ type: 'max', output_field: 'n' }] });
    // @ts-expect-error a misspelt column
    aggregate({ group_by: 'titel', steps: [{ type: 'count', output_field: 'n' }] });
    // @ts-expect-error no field of the results
    aggregate({ steps: [{ type: 'count', output_field: 'n' }], sort: { m: 1 } });
    // @ts-expect-error a count is a number
    aggregate({ steps: [{ type: 'count', output_field: 'n' }], having: { n: 'x' } });
  });

  it('lists the distinct values of a field, of an array those of its elements', () => {
    expectTypeOf<Distinct<Books, 'title'>>().toEqualTypeOf<string>();
    expectTypeOf<Distinct<Books, 'year'>>().toEqualTypeOf<number | null>();
    expectTypeOf<Distinct<Books, 'tags'>>().toEqualTypeOf<string>();
    expectTypeOf<Distinct<Books, 'details.city'>>().toEqualTypeOf<unknown>();
  });
});

describe('a schema', () => {
  it('is an interface or a type of collections', () => {
    const takes = <S extends SchemaOf<S>>(): S | undefined => undefined;
    takes<Collections>();
    takes<AnySchema>();
    takes<Schema>();
    // @ts-expect-error an unknown type of column
    takes<{ books: { columns: { title: { type: 'string'; nullable: true } } } }>();
  });

  it('can be the parameter of a generic function', () => {
    const first = <C extends CollectionShape>(_rows: readonly Row<C>[]): Row<C> | undefined => undefined;
    expectTypeOf(first<Books>([])?.title).toEqualTypeOf<string | undefined>();
  });
});

it('rules of a grant are typed over the columns, with variables of the caller', () => {
  type Rules = NonNullable<Grant<Collections['books']>['rules']>;
  expectTypeOf<{ read: { title: '${user.id}' } }>().toExtend<Rules>();
  expectTypeOf<{ read: { city: { $in: '${user.groups}' } }; delete: false }>().toExtend<Rules>();
  expectTypeOf<{
    read: { $or: [{ _created_by: '${caller.id}' }, { tags: { $all: '${user.groups}' } }] };
  }>().toExtend<Rules>();
  expectTypeOf<{ read: { printed: { $lte: '${today}' } }; becomes: { lent: false } }>().toExtend<Rules>();
  expectTypeOf<{ read: { year: 'x' } }>().not.toExtend<Rules>();
  expectTypeOf<{ read: { year: { $in: '${user.groups}' } } }>().not.toExtend<Rules>();
  expectTypeOf<{ update: true }>().not.toExtend<Rules>();
});
