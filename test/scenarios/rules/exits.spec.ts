import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { startOwnApp, type TestApp } from '../../harness/app.js';
import { type Home, insert, newCollection, newHome, type TestCollection } from '../../harness/collection.js';
import type { Person } from '../auth/person.js';
import { connect } from '../mcp/client.js';
import { COLUMNS, ruledMember } from './ruled.js';

/** What a restricted caller must never get: values and names of hidden fields, and values of hidden records. */
const HIDDEN = /HIDDEN|margin|hush/;

/** A request of each operation on a collection. The caller may read some records and fields, and write some. */
interface Exit {
  readonly method: string;
  /** Below the collection; `{id}` is the id of a visible record, `{hidden}` that of a hidden one. */
  readonly below: string;
  readonly body?: object;
  readonly status: number;
  /** The answer contains visible values. */
  readonly shows?: true;
}

const filter = { name: { $exists: true } };
const encoded = encodeURIComponent(JSON.stringify(filter));
const DENIED = 403;
const ID = '01900000-0000-7000-8000-000000000000';

const EXITS: Record<string, readonly Exit[]> = {
  getCollection: [{ method: 'GET', below: '', status: 200 }],
  updateCollection: [{ method: 'PATCH', below: '', body: { description: 'x' }, status: DENIED }],
  deleteCollection: [{ method: 'DELETE', below: '', status: DENIED }],
  listAccess: [{ method: 'GET', below: '/access', status: DENIED }],
  grantAccess: [
    {
      method: 'POST',
      below: '/access',
      body: { principal_type: 'org', principal_id: 'x', role: 'reader' },
      status: DENIED,
    },
  ],
  explainAccess: [
    { method: 'GET', below: `/access/explain?principal_type=user&principal_id=${ID}`, status: DENIED },
    { method: 'GET', below: '/access/explain?action=read&record_id={id}', status: 200 },
    { method: 'GET', below: '/access/explain?action=read&record_id={hidden}', status: 404 },
  ],
  explainInsert: [
    {
      method: 'POST',
      below: '/access/explain',
      body: { action: 'create', record: { name: 'n' } },
      status: 200,
    },
  ],
  getAccessBinding: [{ method: 'GET', below: `/access/user/${ID}`, status: DENIED }],
  updateAccessBinding: [
    { method: 'PATCH', below: `/access/user/${ID}`, body: { role: 'reader' }, status: DENIED },
  ],
  revokeAccess: [{ method: 'DELETE', below: `/access/user/${ID}`, status: DENIED }],
  listAdvice: [{ method: 'GET', below: '/advice', status: DENIED }],
  listApiKeys: [{ method: 'GET', below: '/api-keys', status: DENIED }],
  createApiKey: [
    {
      method: 'POST',
      below: '/api-keys',
      body: { name: 'k', permissions: ['collections:read'] },
      status: DENIED,
    },
  ],
  getApiKey: [{ method: 'GET', below: `/api-keys/${ID}`, status: DENIED }],
  updateApiKey: [{ method: 'PATCH', below: `/api-keys/${ID}`, body: { name: 'k' }, status: DENIED }],
  deleteApiKey: [{ method: 'DELETE', below: `/api-keys/${ID}`, status: DENIED }],
  rotateApiKey: [{ method: 'POST', below: `/api-keys/${ID}/rotate`, body: {}, status: DENIED }],
  askCollection: [
    { method: 'POST', below: '/ask', body: { question: 'how many records are there?' }, status: 200 },
    { method: 'POST', below: '/ask', body: { question: 'records by team' }, status: 200 },
  ],
  listAuditEvents: [{ method: 'GET', below: '/audit', status: DENIED }],
  getCharts: [{ method: 'GET', below: '/charts', status: 200 }],
  saveCharts: [{ method: 'PUT', below: '/charts', body: { charts: [] }, status: DENIED }],
  queryRecords: [
    { method: 'GET', below: '/data?limit=100', status: 200, shows: true },
    { method: 'GET', below: `/data?view_as=user:${ID}`, status: DENIED },
    { method: 'GET', below: '/data?limit=100&with_etags=true&with_authors=true&preview=20', status: 200 },
  ],
  searchRecords: [
    { method: 'POST', below: '/data/query', body: { filter, with_total: true }, status: 200, shows: true },
    { method: 'POST', below: '/data/query', body: { filter: { $search: 'HIDDENFIELD' } }, status: 200 },
    { method: 'POST', below: '/data/query', body: { filter: { _id: '{hidden}' } }, status: 200 },
    {
      method: 'POST',
      below: '/data/query',
      body: { filter, fields: { margin: 0 } },
      status: 200,
      shows: true,
    },
    { method: 'POST', below: '/data/query', body: { preview: 20, cursor: '' }, status: 200 },
  ],
  insertRecords: [
    { method: 'POST', below: '/data', body: { records: { name: 'n', team: 'seen' } }, status: 200 },
    { method: 'POST', below: '/data', body: { records: { name: 'n', team: 'other' } }, status: DENIED },
  ],
  updateRecords: [
    { method: 'PATCH', below: '/data', body: { filter, update: { $set: { status: 'x' } } }, status: 200 },
  ],
  aggregateRecords: [
    {
      method: 'POST',
      below: '/data/aggregate',
      body: { group_by: ['name'], steps: [{ type: 'count', output_field: 'n' }] },
      status: 200,
      shows: true,
    },
  ],
  batchRecords: [
    {
      method: 'POST',
      below: '/data/batch',
      body: { operations: [{ update: { _id: '{id}', update: { $set: { status: 'y' } } } }] },
      status: 200,
    },
    {
      method: 'POST',
      below: '/data/batch',
      body: { operations: [{ update: { _id: '{hidden}', update: { $set: { status: 'y' } } } }] },
      status: 409,
    },
  ],
  bulkInsertRecords: [
    { method: 'POST', below: '/data/bulk', body: { records: [{ name: 'n', team: 'seen' }] }, status: 201 },
  ],
  countRecords: [{ method: 'GET', below: `/data/count?filter=${encoded}`, status: 200 }],
  countRecordsByBody: [{ method: 'POST', below: '/data/count', body: { filter }, status: 200 }],
  deleteRecords: [{ method: 'POST', below: '/data/delete', body: { filter, dry_run: true }, status: 200 }],
  distinctValues: [{ method: 'GET', below: '/data/distinct?field=name', status: 200, shows: true }],
  distinctValuesByBody: [{ method: 'POST', below: '/data/distinct', body: { field: 'info' }, status: 200 }],
  explainQuery: [{ method: 'POST', below: '/data/explain', body: { filter }, status: DENIED }],
  upsertRecord: [
    {
      method: 'POST',
      below: '/data/upsert',
      body: { match_fields: ['name'], data: { name: 'fresh', team: 'seen' } },
      status: 200,
    },
  ],
  getRecord: [
    { method: 'GET', below: '/data/{id}', status: 200, shows: true },
    { method: 'GET', below: '/data/{hidden}', status: 404 },
    { method: 'GET', below: '/data/{id}?with_authors=true', status: 200, shows: true },
  ],
  updateRecord: [
    { method: 'PATCH', below: '/data/{id}', body: { $set: { status: 'z' } }, status: 200 },
    { method: 'PATCH', below: '/data/{hidden}', body: { $set: { status: 'z' } }, status: 404 },
  ],
  deleteRecord: [{ method: 'DELETE', below: '/data/{hidden}', status: 404 }],
  getRecordHistory: [
    { method: 'GET', below: '/data/{id}/history', status: 200, shows: true },
    { method: 'GET', below: '/data/{hidden}/history', status: 404 },
  ],
  exportRecords: [
    { method: 'GET', below: '/export?format=csv', status: 200, shows: true },
    { method: 'GET', below: '/export?format=ndjson', status: 200, shows: true },
  ],
  exportRecordsByBody: [
    { method: 'POST', below: '/export', body: { format: 'json', filter }, status: 200, shows: true },
  ],
  applyIndexes: [{ method: 'POST', below: '/indexes', body: { indexes: [] }, status: DENIED }],
  restoreRecords: [
    { method: 'POST', below: '/restore', body: { as_of: '2026-01-01T00:00:00Z' }, status: DENIED },
  ],
  updateSchema: [{ method: 'PATCH', below: '/schema', body: { add: {} }, status: DENIED }],
  abandonSchemaChange: [{ method: 'DELETE', below: '/schema/change', status: DENIED }],
  undoWrites: [{ method: 'POST', below: '/undo', body: { correlation_id: 'none' }, status: 400 }],
  listViews: [{ method: 'GET', below: '/views', status: 200 }],
  createView: [
    { method: 'POST', below: '/views', body: { name: 'mine', filter }, status: 201 },
    { method: 'POST', below: '/views', body: { name: 'of all', filter, for: 'all' }, status: DENIED },
  ],
  replaceView: [{ method: 'PUT', below: `/views/${ID}`, body: { name: 'v' }, status: 404 }],
  deleteView: [{ method: 'DELETE', below: `/views/${ID}`, status: 404 }],
  listWebhooks: [{ method: 'GET', below: '/webhooks', status: DENIED }],
  createWebhook: [
    {
      method: 'POST',
      below: '/webhooks',
      body: { url: 'https://example.com', events: ['inserted'] },
      status: DENIED,
    },
  ],
  getWebhook: [{ method: 'GET', below: `/webhooks/${ID}`, status: DENIED }],
  updateWebhook: [{ method: 'PATCH', below: `/webhooks/${ID}`, body: {}, status: DENIED }],
  deleteWebhook: [{ method: 'DELETE', below: `/webhooks/${ID}`, status: DENIED }],
  listDeliveries: [{ method: 'GET', below: `/webhooks/${ID}/deliveries`, status: DENIED }],
  redeliverDelivery: [
    { method: 'POST', below: `/webhooks/${ID}/deliveries/${ID}/redeliver`, status: DENIED },
  ],
  rotateWebhookSecret: [{ method: 'POST', below: `/webhooks/${ID}/rotate`, status: DENIED }],
  testWebhook: [{ method: 'POST', below: `/webhooks/${ID}/test`, status: DENIED }],
};

/** Operations with tests of their own under rules, in files of this folder. */
const ELSEWHERE = ['importRecords', 'listChanges', 'listChangesByBody', 'mcpOfCollection'];

/** Arguments of each tool beside the collection; `{id}` and `{hidden}` as in `Exit`. */
const TOOLS: Record<string, readonly object[]> = {
  data_discover: [{}, { samples: 5 }],
  data_query: [{ filter }, { filter: { _id: '{hidden}' } }, { filter: { nothing: 1 } }],
  data_get: [{ record_id: '{id}' }, { record_id: '{hidden}' }],
  data_history: [{ record_id: '{id}' }, { record_id: '{hidden}' }],
  data_count: [{ filter }, { filter: { name: 'HIDDENROW' } }],
  data_distinct: [{ field: 'name' }, { field: 'nam' }],
  data_aggregate: [{ group_by: ['name'], steps: [{ type: 'count', output_field: 'n' }] }],
  data_insert: [{ records: [{ name: 'n', team: 'seen' }] }, { records: [{ name: 'n', team: 'x' }] }],
  data_update: [{ filter, update: { $set: { status: 'm' } }, dry_run: true }],
  data_upsert: [{ match_fields: ['name'], data: { name: 'fresh', team: 'seen' } }],
  data_delete: [{ filter, dry_run: true }],
  data_undo: [{ correlation_id: 'none' }],
  data_update_schema: [{ add: {} }],
  ask_collection: [{ question: 'how many records are there?' }],
  data_create_collection: [],
  suggest_schema: [],
};

describe('Every exit of a collection keeps the rules of its caller', () => {
  let app: TestApp;
  let home: Home;
  let orders: TestCollection;
  let caller: Person;
  let ids: string[];
  beforeAll(async () => {
    app = await startOwnApp({ environment: { ALLOW_BULK_DELETE: 'true' } });
    home = await newHome(app);
    orders = await newCollection(app, home, {
      properties: COLUMNS,
      settings: { history_days: 7 },
      indexes: [{ properties: ['margin'] }, { properties: ['name', 'margin'] }],
    });
    ids = await insert(
      app,
      orders,
      {
        name: 'VISIBLE',
        team: 'seen',
        status: 'open',
        margin: 0.123,
        info: { k: 'VISIBLE' },
        hush: { deep: 'HIDDENFIELD' },
      },
      { name: 'HIDDENROW', team: 'HIDDENTEAM', status: 'HIDDENSTATUS', margin: 0.5, info: 'HIDDENINFO' },
    );
    caller = await ruledMember(app, home, orders, 'editor', {
      rules: { read: { team: 'seen' } },
      fields: { read: { margin: 0, hush: 0 } },
    });
    const charts = [
      { title: 'c', type: 'bar', group_by: 'margin', steps: [{ type: 'count', output_field: 'n' }] },
    ];
    await app.request('PUT', `${orders.path}/charts`, { ...orders.owner, body: { charts } });
    const view = { name: 'v', filter: { margin: { $gt: 0 } }, for: 'all' };
    await app.request('POST', `${orders.path}/views`, { ...orders.owner, body: view });
  });

  const filled = (text: string) =>
    text.replaceAll('{id}', ids[0] as string).replaceAll('{hidden}', ids[1] as string);

  it('lists every operation of the OpenAPI document', () => {
    const { paths } = JSON.parse(readFileSync('docs/openapi.json', 'utf8'));
    const operations = Object.entries<Record<string, { operationId: string }>>(paths)
      .filter(([path]) => path.startsWith('/v1/collections/{collection_id}'))
      .flatMap(([, methods]) => Object.values(methods).flatMap(({ operationId }) => operationId ?? []));
    expect([...Object.keys(EXITS), ...ELSEWHERE].sort()).toEqual([...new Set(operations)].sort());
  });

  it.each(Object.entries(EXITS))('%s', async (_, exits) => {
    for (const { method, below, body, status, shows } of exits) {
      const answer = await app.request(method, filled(`${orders.path}${below}`), {
        ...caller,
        ...(body !== undefined && { body: JSON.parse(filled(JSON.stringify(body))) }),
      });
      expect([method, below, answer.status, answer.text.slice(0, 300)]).toEqual([
        method,
        below,
        status,
        answer.text.slice(0, 300),
      ]);
      expect(answer.text).not.toMatch(HIDDEN);
      if (shows) expect(answer.text).toContain('VISIBLE');
    }
  });

  it('every MCP tool', async () => {
    const { sdk, call } = await connect(app, caller);
    const { tools } = await sdk.listTools();
    expect(tools.map(({ name }) => name).filter(name => TOOLS[name] === undefined)).toEqual([]);
    for (const { name } of tools) {
      for (const args of TOOLS[name] ?? []) {
        const made = JSON.parse(filled(JSON.stringify({ collection_id: orders.id, ...args })));
        const { text, data } = await call(name, made);
        // A refusal and an empty result may repeat what the call has sent.
        const shown = [text, JSON.stringify(data)]
          .join('\n')
          .replaceAll(/HIDDENROW/g, found => (JSON.stringify(args).includes(found) ? '' : found));
        expect([name, args, shown]).toEqual([name, args, expect.not.stringMatching(HIDDEN)]);
      }
    }
    const { resources } = await sdk.listResources();
    for (const { uri } of resources) {
      const { contents } = await sdk.readResource({ uri });
      expect(JSON.stringify(contents)).not.toMatch(HIDDEN);
    }
  });

  it('the list of collections', async () => {
    const { text } = await app.request('GET', '/v1/collections?scope=all&with_counts=true', caller);
    expect(text).toContain(orders.id);
    expect(text).not.toMatch(HIDDEN);
  });
});
