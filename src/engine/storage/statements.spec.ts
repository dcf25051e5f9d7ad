import { describe, expect, it } from 'vitest';
import { sql } from '../../base/sql/index.js';
import { parseFieldPath, parseFilter, parseProjection, parseSort } from '../filter/index.js';
import type { CollectionShape } from './collection-shape.js';
import { aggregateStatement } from './records/aggregate/aggregate.js';
import { distinctPartStatement, distinctStatement } from './records/distinct.js';
import { insertStatement } from './records/insert.js';
import { pageStatement } from './records/page.js';
import { countStatement, getStatement } from './records/read.js';
import { bulkUpsertStatement, conflictsStatement } from './records/upsert.js';
import { rendered, type Statement } from './statement.js';

/** Hostile text, used everywhere a client's text can reach a statement. */
const HOSTILE = `h'"\\; DROP TABLE x --$1/*`;
const SHAPE: CollectionShape = {
  id: '00000000-0000-7000-8000-000000000001',
  orgId: '00000000-0000-7000-8000-000000000002',
  version: 3,
  mayExpire: true,
  columns: {
    title: { type: 'text', nullable: true, number: 1 },
    details: { type: 'json', nullable: true, number: 2 },
  },
};
const ID = '00000000-0000-7000-8000-000000000003';

const filter = parseFilter({
  title: { $regex: HOSTILE, $ne: HOSTILE, $in: [HOSTILE] },
  [HOSTILE]: HOSTILE,
  [`details.${HOSTILE}`]: { $gt: HOSTILE },
  $search: HOSTILE,
});
const path = parseFieldPath(HOSTILE);
const sort = parseSort({ [HOSTILE]: 1, title: -1, [`details.${HOSTILE}`]: 1 });
const rows = {
  json: JSON.stringify([{ _id: ID, c1: HOSTILE, x: { [HOSTILE]: HOSTILE } }]),
  expiresAt: null,
};
const event = { author: null, event: () => sql`SELECT 1` };

const STATEMENTS: Record<string, Statement> = {
  get: getStatement(SHAPE, ID),
  count: countStatement(SHAPE, filter),
  page: pageStatement(SHAPE, {
    filter,
    sort,
    projection: parseProjection({ [HOSTILE]: 1, [`details.${HOSTILE}`]: 1 }),
    limit: 5,
    offset: 5,
    after: [HOSTILE, null, HOSTILE, ID],
    withPosition: true,
    withTotal: true,
  }),
  'page without fields': pageStatement(SHAPE, {
    filter: undefined,
    sort,
    projection: parseProjection({ [HOSTILE]: 0 }),
    limit: 5,
    offset: 0,
    after: undefined,
    withPosition: false,
    withTotal: false,
  }),
  distinct: distinctStatement(SHAPE, path, filter),
  'a part of distinct': distinctPartStatement(SHAPE, path, filter, { offset: 5, maxBytes: 100 }),
  aggregate: aggregateStatement(SHAPE, {
    steps: [
      { type: 'sum', input: path, output: `s${HOSTILE}` },
      { type: 'max', input: parseFieldPath(`details.${HOSTILE}`), output: `m${HOSTILE}` },
    ],
    groupBy: [{ path, name: HOSTILE }],
    fill: undefined,
    filter,
    having: parseFilter({ [`s${HOSTILE}`]: { $gt: 1 } }),
    sort: [{ path: parseFieldPath(`m${HOSTILE}`), direction: -1 }],
    limit: 3,
  }),
  'aggregate by period': aggregateStatement(SHAPE, {
    steps: [
      { type: 'percentile', at: 0.5, input: path, output: `p${HOSTILE}`, filter },
      { type: 'last', input: path, output: `l${HOSTILE}`, sort: [{ path, direction: 1 }], filter },
    ],
    groupBy: [{ path, name: HOSTILE, by: { every: 'hour', zone: HOSTILE } }],
    fill: { every: 'hour', zone: HOSTILE },
    filter,
    having: parseFilter({ [HOSTILE]: null }),
    sort: undefined,
    limit: 3,
  }),
  'an insert on a lease': insertStatement(SHAPE, rows, { generation: 1 }, event),
  'an insert near the limit': insertStatement(SHAPE, rows, { records: 1, most: 10 }, event),
  upsert: bulkUpsertStatement(SHAPE, { key: 'title', rows, most: 10 }, event),
  conflicts: conflictsStatement(SHAPE, ['title'], rows.json, { key: 'title' }),
};

describe.each(Object.entries(STATEMENTS))('the statement of %s', (_, statement) => {
  const { text, values } = rendered(statement);

  it('contains no text from a client, only parameters', () => {
    expect(text).not.toContain('DROP');
    const placeholders = [...text.matchAll(/\$(\d+)/g)].map(match => Number(match[1]));
    expect(new Set(placeholders)).toEqual(new Set(values.map((_value, index) => index + 1)));
  });

  it('checks the version of its collection', () => {
    const [, id, version] =
      /public\.collections WHERE id = \$(\d+)::uuid AND version = \$(\d+)::bigint/.exec(text) ?? [];
    expect(values[Number(id) - 1]).toBe(SHAPE.id);
    expect(values[Number(version) - 1]).toBe(SHAPE.version);
  });
});
