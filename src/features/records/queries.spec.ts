import { describe, expect, it } from 'vitest';
import type { Call } from '../../base/kernel/call.js';
import { NOTHING, type Rendered, render, type Sql } from '../../base/sql/index.js';
import { parseFieldPath, parseFilter, parseProjection, parseSort } from '../../engine/filter/index.js';
import { parseUpdate } from '../../engine/filter/update/index.js';
import type { Grant } from '../../engine/rules/grant.js';
import { restrictionsOf } from '../../engine/rules/restrictions.js';
import { changesStatement } from '../../engine/storage/changes/changes.js';
import { frontierStatement } from '../../engine/storage/changes/frontier.js';
import { mergeStatement } from '../../engine/storage/copy/copy-merge.js';
import { exportedRecords } from '../../engine/storage/copy/export-cursor.js';
import {
  columnPart,
  type ExportPart,
  flexiblePart,
  recordPart,
} from '../../engine/storage/copy/export-layout.js';
import { asOf } from '../../engine/storage/history/past.js';
import { pruneStatement } from '../../engine/storage/history/prune-versions.js';
import { historyStatement } from '../../engine/storage/history/record-history.js';
import { aggregateStatement } from '../../engine/storage/records/aggregate/aggregate.js';
import { batchStatement, lockBatchStatement, vacateStatement } from '../../engine/storage/records/batch.js';
import { changeStatement } from '../../engine/storage/records/change.js';
import { deleteStatement, expireStatement } from '../../engine/storage/records/delete.js';
import { distinctStatement } from '../../engine/storage/records/distinct.js';
import { insertStatement, sharedInsertsStatement } from '../../engine/storage/records/insert.js';
import { pageStatement, type RecordQuery } from '../../engine/storage/records/page.js';
import { countStatement, getStatement } from '../../engine/storage/records/read.js';
import { layoutOf } from '../../engine/storage/records/record-layout.js';
import { lockStatement, rewriteStatement } from '../../engine/storage/records/rewrite.js';
import { sharedChange, sharedChangesStatement } from '../../engine/storage/records/shared-changes.js';
import {
  bulkUpsertStatement,
  conflictsStatement,
  existsStatement,
} from '../../engine/storage/records/upsert.js';
import { seenBy } from '../../engine/storage/restricted/seen.js';
import { rendered, type Statement } from '../../engine/storage/statement.js';
import type { Collection } from '../collections/collection.entity.js';
import { recordEvent, SharedEvents, type WriteDescription } from './record-writes.js';
import { sqlChanges } from './update-records.service.js';

const id = (number: number) => `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`;

/** A collection with two columns and records that may expire. */
const COLLECTION = {
  id: id(1),
  orgId: id(2),
  name: 'orders',
  version: 1,
  mayExpire: true,
  columns: {
    customer: { type: 'text', nullable: false, number: 1 },
    total: { type: 'integer', nullable: true, number: 2 },
  },
  uniques: [{ properties: ['customer'] }],
} as unknown as Collection;

const description = (type: WriteDescription['type'], more: object = {}): WriteDescription => ({
  call: {
    principal: { type: 'user', id: id(3) },
    via: 'rest',
    correlationId: id(4),
    ip: '192.0.2.1',
    ...more,
  } as unknown as Call,
  type,
  answer: () => '{}',
});
const RETRY = {
  retry: {
    orgId: COLLECTION.orgId,
    caller: 'user',
    key: 'key',
    digest: { value: Buffer.of(1), hex: '01' },
    status: 200,
  },
};
const event = (type: WriteDescription['type'], more?: object) =>
  recordEvent(COLLECTION, description(type, more));
const together = (type: WriteDescription['type'], more?: object) =>
  new SharedEvents(
    COLLECTION,
    [id(5), id(6)].map(recordId => ({ recordId, description: description(type, more) })),
  );

const FILTER = parseFilter({ customer: 'Ada', total: { $gte: 10 }, colour: 'red' });
const INDEXED = {
  ...COLLECTION,
  indexes: [{ properties: ['address.city'] }, { properties: ['customer', 'total'] }],
} as unknown as Collection;
/** Keeps a history in which the totals were texts at first. */
const KEPT = {
  ...COLLECTION,
  columns: { ...COLLECTION.columns, total: { type: 'integer', nullable: true, number: 3 } },
  retiredColumns: [{ name: 'total', type: 'text', number: 2 }],
  historySince: new Date(0),
} as unknown as Collection;
const page = (query: Partial<RecordQuery>, collection = COLLECTION): Statement =>
  pageStatement(collection, {
    filter: undefined,
    sort: parseSort(undefined),
    projection: undefined,
    limit: 51,
    offset: 0,
    after: undefined,
    withPosition: true,
    withTotal: false,
    ...query,
  });
const ROWS = { json: '[]', expiresAt: null };
const LEASE = { generation: 1 };
const CHANGES = {
  ...sqlChanges(parseUpdate({ $inc: { total: 1 }, $set: { colour: 'blue' } }), layoutOf(COLLECTION))!,
};
const PULL = parseUpdate({ $pull: { tags: { $in: ['old'] } } });
const MONTHS = { every: 'month', zone: 'Europe/Paris' } as const;
const PLACE = { xid: 1, seq: 1 };
const GRANTS = restrictionsOf(
  [
    { parts: { rules: { read: { customer: '${user.email}' } } }, writes: false, anonymous: false },
    {
      parts: { rules: { read: { colour: 'red' } }, fields: { read: { total: 0 } } },
      writes: false,
      anonymous: false,
    },
  ],
  { 'user.email': 'ada@example.com' },
)?.restrictions.reading as readonly Grant[];
const RANGE = { batch: 1, first: 1, last: 100 };

const EXPORT = { filter: FILTER, sort: parseSort({ total: 1 }) };
const RECORD = recordPart(COLLECTION, undefined);
const COLUMN_PARTS = ['created_at', 'total', 'customer'].map(
  name => columnPart(COLLECTION, name) as ExportPart,
);

const READ = getStatement(COLLECTION, id(5));

const QUERIES: Record<string, Statement | Sql | Pick<Rendered, 'text'>> = {
  'get-record': READ,
  'get-records-together': READ.forMany?.rendered([id(5), id(6)]) as Pick<Rendered, 'text'>,
  'list-records': page({}),
  'list-records-with-filter': page({ filter: FILTER, sort: parseSort({ total: -1 }), withTotal: true }),
  'list-records-after-a-cursor': page({ sort: parseSort({ total: 1 }), after: ['10', id(5)] }),
  'list-records-before-a-cursor': page({
    sort: parseSort({ total: 1 }),
    after: ['10', id(5)],
    isBackward: true,
  }),
  'list-records-before-a-cursor-with-an-index': page({
    sort: parseSort({ total: 1 }),
    after: ['10', id(5)],
    isBackward: true,
    isIndexed: true,
  }),
  'list-records-by-an-indexed-path': page(
    { filter: parseFilter({ 'address.city': { $gte: 'M' } }), sort: parseSort({ 'address.city': 1 }) },
    INDEXED,
  ),
  'list-records-of-each-of-several-values': page(
    { filter: parseFilter({ customer: { $in: ['a', 'b'] } }), sort: parseSort({ total: -1 }) },
    INDEXED,
  ),
  'list-records-of-a-high-page-number': page({ sort: parseSort({ total: 1 }), offset: 5_000 }),
  'list-records-at-a-value': page({ sort: parseSort({ total: -1 }), at: 10 }),
  'list-records-with-preview': page({ preview: 100, withTags: true }),
  'list-records-with-etags': page({ withTags: true }),
  'list-records-with-some-fields': page({ projection: parseProjection({ customer: 1, colour: 1 }) }),
  'list-records-of-the-past': page(
    { filter: FILTER, sort: parseSort({ total: -1 }) },
    asOf(KEPT, new Date('2026-01-31T10:00:00Z')),
  ),
  'get-record-of-the-past': getStatement(asOf(COLLECTION, new Date('2026-01-31T10:00:00Z')), id(5)),
  'list-versions-of-a-record': historyStatement(KEPT, { recordId: id(5), limit: 51, before: 7 }),
  'remove-old-versions': pruneStatement(KEPT, new Date('2026-01-31T10:00:00Z')),
  'count-records': countStatement(COLLECTION, FILTER),
  'insert-record': insertStatement(COLLECTION, ROWS, LEASE, event('collections.records.inserted')),
  'insert-records-near-the-limit': insertStatement(
    COLLECTION,
    ROWS,
    { records: 2, most: 100 },
    event('collections.records.inserted'),
  ),
  'insert-record-with-idempotency-key': insertStatement(
    COLLECTION,
    ROWS,
    LEASE,
    event('collections.records.inserted', RETRY),
  ),
  'insert-records-together': sharedInsertsStatement(
    COLLECTION,
    { json: '[]', lockTimeoutMs: 500 },
    LEASE,
    together('collections.records.inserted'),
  ),
  'insert-records-together-with-idempotency-keys': sharedInsertsStatement(
    COLLECTION,
    { json: '[]', lockTimeoutMs: 500 },
    LEASE,
    together('collections.records.inserted', RETRY),
  ),
  'update-record': changeStatement(
    COLLECTION,
    { recordId: id(5) },
    CHANGES,
    event('collections.records.updated'),
  ),
  'update-records-together': sharedChangesStatement(
    COLLECTION,
    [sharedChange(id(5), CHANGES, id(9)), sharedChange(id(6), CHANGES, id(9))],
    together('collections.records.updated'),
    500,
  ),
  'update-records-together-with-idempotency-keys': sharedChangesStatement(
    COLLECTION,
    [sharedChange(id(5), CHANGES, id(9)), sharedChange(id(6), CHANGES, id(9))],
    together('collections.records.updated', RETRY),
    500,
  ),
  'update-records': changeStatement(
    COLLECTION,
    { filter: FILTER, atMost: 100 },
    CHANGES,
    event('collections.records.updated', RETRY),
  ),
  'update-records-lock': lockStatement(COLLECTION, { filter: FILTER, atMost: undefined }, PULL, {
    after: id(5),
    limit: 100,
    maxBytes: 1_000_000,
  }),
  'update-records-write-locked': rewriteStatement(
    COLLECTION,
    { columns: ['total'], flexible: true, expiresAt: undefined, author: id(9) },
    '[]',
  ),
  'upsert-record-look-up': existsStatement(COLLECTION, { filter: FILTER, oldest: true }),
  'upsert-records': bulkUpsertStatement(
    COLLECTION,
    { key: 'customer', rows: ROWS, most: 100 },
    event('collections.records.upserted'),
  ),
  'upsert-records-conflicts': conflictsStatement(COLLECTION, ['customer'], '[]', { key: 'total' }),
  'delete-record': deleteStatement(
    COLLECTION,
    { recordId: id(5), tag: { tags: ['1-1-2'], not: false } },
    event('collections.records.deleted'),
  ),
  'delete-records': deleteStatement(
    COLLECTION,
    { filter: FILTER, atMost: 100 },
    event('collections.records.deleted'),
  ),
  'batch-lock': lockBatchStatement(COLLECTION, {
    ids: [id(5), id(6)],
    read: [id(5)],
    maxBytes: 1_000_000,
    keys: ['customer'],
  }),
  'batch-free-unique-values': vacateStatement(COLLECTION, { column: 'customer', values: [] }),
  'batch-write': batchStatement(COLLECTION, {
    author: id(9),
    deleted: [id(7)],
    updates: { json: '[]', columns: ['total'], flexible: true, measured: false },
    inserted: ROWS,
    quota: LEASE,
    returned: 0,
  }),
  'batch-conflicts': conflictsStatement(COLLECTION, ['customer'], '[]', { ids: [id(5)] }),
  'remove-expired-records': expireStatement(
    COLLECTION,
    { limit: 1_000, waits: false },
    event('collections.records.deleted'),
  ),
  'aggregate-records': aggregateStatement(COLLECTION, {
    steps: [
      { type: 'sum', input: parseFieldPath('total'), output: 'sum_total' },
      { type: 'max', input: parseFieldPath('weight'), output: 'max_weight' },
    ],
    groupBy: [{ path: parseFieldPath('customer'), name: 'customer' }],
    fill: undefined,
    filter: FILTER,
    having: parseFilter({ sum_total: { $gt: 100 } }),
    sort: parseSort({ sum_total: -1 }).slice(0, 1),
    limit: 10,
  }),
  'aggregate-records-by-month': aggregateStatement(COLLECTION, {
    steps: [
      { type: 'count', input: undefined, output: 'orders' },
      { type: 'median', input: parseFieldPath('total'), output: 'median', filter: FILTER },
      { type: 'last', input: parseFieldPath('customer'), output: 'last', sort: parseSort({ total: 1 }) },
    ],
    groupBy: [{ path: parseFieldPath('created_at'), name: 'month', by: MONTHS }],
    fill: MONTHS,
    filter: undefined,
    having: parseFilter({ orders: { $gt: 0 } }),
    sort: undefined,
    limit: undefined,
  }),
  'distinct-values': distinctStatement(COLLECTION, parseFieldPath('colour'), FILTER),
  'export-records': exportedRecords(COLLECTION, EXPORT, { parts: [RECORD.part], join: RECORD.join }),
  'export-records-as-csv': exportedRecords(COLLECTION, EXPORT, {
    parts: [...COLUMN_PARTS, flexiblePart(COLLECTION, undefined)],
    join: NOTHING,
  }),
  'import-records': mergeStatement(COLLECTION, {
    author: id(9),
    expiresAt: null,
    key: undefined,
    leaveOut: false,
    range: RANGE,
  }),
  'import-records-by-key': mergeStatement(COLLECTION, {
    author: id(9),
    expiresAt: null,
    key: 'customer',
    leaveOut: false,
    range: RANGE,
  }),
  'changes-frontier': frontierStatement(COLLECTION),
  'changes-of-records': changesStatement(COLLECTION, {
    feed: id(6),
    after: PLACE,
    upTo: PLACE,
    filter: FILTER,
    limit: 100,
  }),
  'changes-under-rules': changesStatement(seenBy(COLLECTION, GRANTS), {
    feed: id(6),
    after: PLACE,
    upTo: PLACE,
    filter: FILTER,
    limit: 100,
  }),
};

function textOf(query: Statement | Sql | Pick<Rendered, 'text'>): string {
  if ('text' in query) return query.text;
  return ('query' in query ? rendered(query) : render(query)).text;
}

/** Removes indentation and trailing blanks. */
function shown(text: string): string {
  const lines = text.split('\n').map(line => line.trimEnd());
  return `${lines.filter(line => line !== '').join('\n')}\n`;
}

describe('docs/queries has the SQL of each operation on records (npm run queries writes it)', () => {
  it.each(Object.entries(QUERIES))('%s', async (name, query) => {
    await expect(shown(textOf(query))).toMatchFileSnapshot(`../../../docs/queries/${name}.sql`);
  });
});
