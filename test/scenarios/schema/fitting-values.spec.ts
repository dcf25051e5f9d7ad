import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { param, render, sql } from '../../../src/base/sql/index.js';
import { COLUMN_TYPES, type ColumnTypeName } from '../../../src/engine/columns/index.js';
import { startApp, type TestApp } from '../../harness/app.js';

const digits = (length: number) => fc.stringMatching(new RegExp(`^[0-9]{${length}}$`));
const day = fc.oneof(
  fc
    .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
    .map(date => date.toISOString().slice(0, 10)),
  fc.tuple(digits(4), digits(2), digits(2)).map(parts => parts.join('-')),
  fc.constantFrom(
    '2000-02-29',
    '1900-02-29',
    '2024-02-30',
    '0001-01-01',
    '9999-12-31',
    '0000-06-01',
    '2024-1-1',
  ),
);
const time = fc.oneof(
  fc.tuple(fc.nat(25), fc.nat(61)).map(parts => parts.map(part => String(part).padStart(2, '0')).join(':')),
);
const instant = fc
  .tuple(
    day,
    fc.constantFrom('T', 't', ' '),
    time,
    fc.oneof(
      fc.constant(''),
      fc.nat(61).map(second => `:${String(second).padStart(2, '0')}`),
      digits(2).map(it => `:${it}`),
    ),
    fc.oneof(fc.constant(''), fc.stringMatching(/^\.[0-9]{0,9}$/), fc.constant('.9999999')),
    fc.oneof(
      fc.constantFrom('Z', 'z', '', '+0000', ' Z'),
      time.map(offset => `+${offset}`),
      time.map(offset => `-${offset}`),
    ),
  )
  .map(parts => parts.join(''));
const value = fc.oneof(
  { weight: 4, arbitrary: instant },
  { weight: 3, arbitrary: day },
  fc.jsonValue(),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(2 ** 53, 2 ** 53 - 1, -(2 ** 53), 1e20, 1e300, 5e-324, -0, 1.5, '7', '1e3', 'true'),
  fc.array(fc.oneof(fc.string(), fc.constant(null), fc.integer(), fc.array(fc.string())), { maxLength: 3 }),
);

describe('the check of stored values for a new column', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp();
  });

  /** The values as the column would store them; undefined for invalid ones. */
  const inSql = async (name: ColumnTypeName, values: unknown[]): Promise<unknown[]> => {
    const { fromJson, toJson } = COLUMN_TYPES[name];
    const given = param(
      values.map(each => JSON.stringify(each)),
      'jsonb[]',
    );
    const { text, values: params } = render(
      sql`SELECT c IS NOT NULL AS fits, to_jsonb(${toJson(sql`c`)}) AS value
       FROM unnest(${given}) WITH ORDINALITY AS v(j, n) CROSS JOIN LATERAL (SELECT ${fromJson(sql`v.j`)} AS c) s ORDER BY n`,
    );
    const rows = await app.sql(text, params);
    return rows.map(row => (row.fits ? row.value : undefined));
  };
  const inNode = (name: ColumnTypeName, values: unknown[]) =>
    values.map(each => COLUMN_TYPES[name].accept(each));

  it.each(Object.keys(COLUMN_TYPES) as ColumnTypeName[])(
    'is the same for %s in PostgreSQL as in Node, and so is what is stored',
    async name => {
      const stored = value.filter(each => each !== null && !JSON.stringify(each).includes('\\u'));
      await fc.assert(
        fc.asyncProperty(fc.array(stored, { minLength: 50, maxLength: 200 }), async values => {
          // As in a record: after a round trip through JSON.
          const sent = JSON.parse(JSON.stringify(values));
          expect(await inSql(name, sent)).toEqual(inNode(name, sent));
        }),
        { numRuns: 40 },
      );
    },
  );
});
