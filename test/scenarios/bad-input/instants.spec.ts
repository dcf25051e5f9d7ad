import { beforeAll, describe, expect, it } from 'vitest';
import { everyRecord, outcome, written } from '../../harness/collection.js';
import { connect } from '../mcp/client.js';
import { type Books, booksWith } from './books.js';

let { app, home, books, id } = {} as Books;
beforeAll(async () => {
  ({ app, home, books, id } = await booksWith({ title: 'Emma' }));
});

/** Texts that `Date.parse` reads, or nearly reads; instants have no leap seconds. */
const IMPOSSIBLE = [
  '2026-02-30T10:00:00Z',
  '2025-02-29T00:00:00Z',
  '2026-04-31T00:00:00Z',
  '2026-01-31T24:00:00Z',
  '2026-01-31T25:00:00Z',
  '2026-01-31T10:60:00Z',
  '2026-01-31T10:00:00+24:00',
  '2026-01-31T10:00:00+01:60',
  '2016-12-31T23:59:60Z',
  '2026-01-31T10:00:00',
  '0000-01-01T00:00:00Z',
  '2026-01-31',
];

/** Every place that takes an instant, as [name, method, path below the collection, body]. */
const places = (at: string): [string, string, string, object?][] => {
  const instant = encodeURIComponent(at);
  const filter = { read_at: { $lt: at } };
  const actor = { type: 'user', id: home.org.owner.userId };
  return [
    ['as_of of query', 'GET', `/data?as_of=${instant}`],
    ['as_of of search', 'POST', '/data/query', { as_of: at }],
    ['as_of of get', 'GET', `/data/${id}?as_of=${instant}`],
    ['as_of of count', 'GET', `/data/count?as_of=${instant}`],
    ['as_of of distinct', 'GET', `/data/distinct?field=title&as_of=${instant}`],
    [
      'as_of of aggregate',
      'POST',
      '/data/aggregate',
      { steps: [{ type: 'count', output_field: 'n' }], as_of: at },
    ],
    ['as_of of export', 'GET', `/export?as_of=${instant}`],
    ['as_of of restore', 'POST', '/restore', { as_of: at }],
    ['as_of of a dry restore', 'POST', '/restore', { as_of: at, dry_run: true }],
    ['since of undo', 'POST', '/undo', { actor, since: at }],
    ['until of undo', 'POST', '/undo', { actor, since: '2020-01-01T00:00:00Z', until: at }],
    ['since of audit', 'GET', `/audit?since=${instant}`],
    ['until of audit', 'GET', `/audit?until=${instant}`],
    ['since of changes', 'GET', `/changes?since=${instant}`],
    ['value of a record', 'POST', '/data', { records: { read_at: at } }],
    ...(at.length === 10
      ? []
      : ([
          ['filter', 'POST', '/data/query', { filter }],
          ['filter of a write', 'PATCH', '/data', { filter, update: { year: 1 } }],
          ['filter of changes', 'GET', `/changes?filter=${encodeURIComponent(JSON.stringify(filter))}`],
          ['filter of a view', 'POST', '/views', { name: 'late', filter, for: 'me' }],
          ['filter of a webhook', 'POST', '/webhooks', { url: 'https://hooks.example.com/', filter }],
        ] as [string, string, string, object][])),
  ];
};

describe.each(IMPOSSIBLE)('the instant %s', at => {
  it('is 400 wherever an instant is expected, and nothing is read or written', async () => {
    const before = [await everyRecord(app, books), await written(app, books)];
    const answers = await Promise.all(
      places(at).map(async ([name, method, below, body]) => [
        name,
        ...outcome(await app.request(method, books.path + below, { ...home.owner, ...(body && { body }) })),
      ]),
    );
    expect(answers.filter(each => `${each.slice(1)}` !== '400,InvalidArguments')).toEqual([]);
    expect([await everyRecord(app, books), await written(app, books)]).toEqual(before);
  });
});

it('the same instants are refused by the tools of MCP, for tokens and in the log of the organization', async () => {
  const mcp = await connect(app, home.owner);
  const slug = home.org.slug;
  for (const at of IMPOSSIBLE) {
    const undo = await mcp.call('data_undo', {
      collection_id: books.id,
      actor: { type: 'user', id: home.org.owner.userId },
      since: at,
      dry_run: true,
    });
    expect([at, JSON.stringify(undo)]).toEqual([at, expect.stringContaining('since')]);
    const others = await Promise.all([
      app.request('POST', '/v2/user/accessTokens', { ...home.owner, body: { name: 'x', expiresAt: at } }),
      app.request('GET', `/v2/orgs/${slug}/audit?since=${encodeURIComponent(at)}`, home.owner),
      app.request('POST', `/v2/orgs/${slug}/api-keys`, {
        ...home.owner,
        body: { name: 'x', permissions: ['collections:read'], expiresAt: at },
      }),
    ]);
    expect([at, ...others.map(outcome)]).toEqual([at, ...others.map(() => [400, 'InvalidArguments'])]);
  }
});

it('an instant with any offset, any number of digits and a small t is accepted', async () => {
  for (const at of [
    '2026-01-31t10:00:00z',
    '2020-02-29T23:59:59.123456789012+14:00',
    '2026-01-31T10:00-23:59',
  ]) {
    const path = `${books.path}/audit?until=${encodeURIComponent(at)}`;
    expect([at, (await app.request('GET', path, home.owner)).status]).toEqual([at, 200]);
  }
});
