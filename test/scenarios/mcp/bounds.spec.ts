import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startOwnApp, type TestApp } from '../../harness/app.js';
import {
  eventsOf,
  type Home,
  insert,
  newHome,
  newTypedCollection,
  search,
  type TestCollection,
} from '../../harness/collection.js';
import { MovedClock } from '../auth/person.js';
import { newMember } from '../orgs/org.js';
import { connect, type McpClient, send } from './client.js';

const MAX_BYTES = 8_192;

const clock = new MovedClock();
let app: TestApp;
let home: Home;
let mcp: McpClient;
beforeAll(async () => {
  app = await startOwnApp({
    clock,
    environment: {
      MCP_MAX_RESULT_BYTES: String(MAX_BYTES),
      ALLOW_BULK_DELETE: 'true',
      RATE_LIMITS: 'on',
      RATE_LIMIT_ASK: '2',
      RATE_LIMIT_AUTH_FAILURES: '1000',
    },
  });
  home = await newHome(app);
  mcp = await connect(app, home.owner);
});
afterAll(() => app.close());

/** Starts a new minute of all counters. */
const nextMinute = () => clock.move(61);

describe('an answer', () => {
  const WORD = 'ünïcödé '.repeat(20);
  let made: TestCollection;
  beforeAll(async () => {
    made = await newTypedCollection(app, home);
    await insert(app, made, ...Array.from({ length: 120 }, (_, n) => ({ year: n, title: WORD })));
  });

  it('has at most 100 records, and a cursor to continue', async () => {
    const args = { collection_id: made.id, fields: ['year'], limit: 100 };
    const { data } = await mcp.call('data_query', args);
    expect(data.count).toBeLessThanOrEqual(100);
    expect((await mcp.call('data_query', { ...args, limit: 101 })).error).toBe('InvalidArguments');
  });

  it.each([
    ['', { sort: { year: -1 } }],
    [' from the second page on', { sort: { year: -1 }, page: 2, limit: 60 }],
  ])('fits into the size limit%s, and all records are reached with its cursor', async (_, query) => {
    const years: number[] = [];
    let next: Record<string, unknown> = { limit: 100, ...query };
    for (;;) {
      const { text, data } = await mcp.call('data_query', { collection_id: made.id, ...next });
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_BYTES);
      expect(data.truncated).toBe(data.next_cursor !== null);
      years.push(...data.records.map((record: { year: number }) => record.year));
      if (data.next_cursor === null) break;
      next = { limit: 100, sort: query.sort, cursor: data.next_cursor };
    }
    const all = Array.from({ length: 120 }, (_, n) => 119 - n);
    expect(years).toEqual('page' in query ? all.slice(60) : all);
    nextMinute();
  });

  it('shows only the id of a record that is too large, and continues after it', async () => {
    const large = await newTypedCollection(app, home);
    const [first, second] = await insert(app, large, { title: 'x'.repeat(MAX_BYTES) }, { title: 'small' });
    const { data } = await mcp.call('data_query', { collection_id: large.id });
    expect(data).toMatchObject({ count: 1, truncated: true, too_large: [first] });
    expect(Object.keys(data.records[0]).sort()).toEqual(['_id', 'created_at', 'updated_at']);
    const rest = await mcp.call('data_query', { collection_id: large.id, cursor: data.next_cursor });
    expect(rest.data.records).toMatchObject([{ _id: second, title: 'small' }]);
    const got = (await mcp.call('data_get', { collection_id: large.id, record_id: first })).data;
    expect(got).toMatchObject({ truncated: true, record: { _id: first } });
    expect(got.record.title).toBeUndefined();
    const discovered = (await mcp.call('data_discover', { collection_id: large.id })).data;
    expect(discovered).toMatchObject({ row_count: 2, too_large: [first] });
  });

  it('returns all distinct values by offset, of any type, whatever their number and length', async () => {
    const made = await newTypedCollection(app, home);
    const long = ['0'.repeat(MAX_BYTES), `5${'\u0001'.repeat(MAX_BYTES / 4)}`];
    const short = Array.from({ length: 60 }, (_, n) => `${n} ${WORD}`);
    const values = [...long, ...short, 7, null, true, { a: 1 }];
    await insert(app, made, ...values.map(value => ({ kind: value, words: [value] })));
    await insert(app, made, ...long.map(title => ({ title })));
    for (const field of ['kind', 'words', 'title']) {
      const found: unknown[] = [];
      let [offset, passed, calls]: [number | null, number, number] = [0, 0, 0];
      while (offset !== null) {
        const args = { collection_id: made.id, field, offset };
        const { data, text } = await mcp.call('data_distinct', args);
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_BYTES);
        const left = data.too_large ?? 0;
        expect(data.truncated).toBe(data.next_offset !== null || left > 0);
        expect(data.next_offset ?? Number.POSITIVE_INFINITY).toBeGreaterThan(offset);
        found.push(...data.values);
        [offset, passed, calls] = [data.next_offset, passed + left, calls + 1];
      }
      expect([field, passed]).toEqual([field, 2]);
      const expected = field === 'title' ? [null] : values.filter(each => !long.includes(each as string));
      expect(new Set(found.map(each => JSON.stringify(each)))).toEqual(
        new Set(expected.map(each => JSON.stringify(each))),
      );
      expect(found.length).toBe(expected.length);
      expect(calls).toBeGreaterThan(field === 'title' ? 0 : 1);
    }
    nextMinute();
  });

  it('leaves out a group that is too large, with a note, and shows the others', async () => {
    const made = await newTypedCollection(app, home);
    await insert(app, made, { title: 'a'.repeat(MAX_BYTES) }, { title: 'b' });
    const steps = [{ type: 'count', output_field: 'n' }];
    const { data } = await mcp.call('data_aggregate', { collection_id: made.id, steps, group_by: 'title' });
    expect(data).toEqual({ results: [{ title: 'b', n: 1 }], truncated: true, too_large: 1 });
  });

  it('leaves out parts of other lists that do not fit, with a note', async () => {
    const lists: [string, object, (data: Record<string, unknown[]>) => unknown[] | undefined][] = [
      ['data_distinct', { field: 'title' }, ({ values }) => values],
      [
        'data_aggregate',
        { steps: [{ type: 'count', output_field: 'n' }], group_by: 'year' },
        data => data.results,
      ],
      ['data_insert', { records: Array.from({ length: 300 }, () => ({ year: -1 })) }, ({ ids }) => ids],
      ['data_discover', {}, ({ samples }) => samples],
    ];
    const many = await newTypedCollection(app, home);
    await insert(app, many, ...Array.from({ length: 150 }, (_, n) => ({ year: n, title: `${n} ${WORD}` })));
    for (const [tool, args, list] of lists) {
      const { text, data, error } = await mcp.call(tool, { collection_id: many.id, ...args });
      expect([tool, error]).toEqual([tool, undefined]);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_BYTES);
      if (tool !== 'data_discover') expect([tool, data.truncated]).toEqual([tool, true]);
      expect(list(data)?.length).toBeGreaterThan(0);
    }
    expect((await search(app, many, { filter: { year: -1 }, with_total: true })).total).toBe(300);
  });
});

describe('deleting more than one record', () => {
  const FILTER = { title: 'old' };

  async function shelf(): Promise<TestCollection> {
    nextMinute();
    const made = await newTypedCollection(app, home);
    await insert(app, made, FILTER, FILTER, FILTER, { title: 'new' });
    return made;
  }

  const remaining = async (made: TestCollection) => (await search(app, made)).records.length;

  async function rehearse(made: TestCollection, filter: object = FILTER) {
    return (await mcp.call('data_delete', { collection_id: made.id, filter, dry_run: true })).data;
  }

  it('requires the token of a dry run, which deletes nothing itself', async () => {
    const made = await shelf();
    const args = { collection_id: made.id, filter: FILTER };
    expect((await mcp.call('data_delete', args)).message).toContain('max_affected');
    const refused = await mcp.call('data_delete', { ...args, max_affected: 3 });
    expect(refused).toMatchObject({ error: 'InvalidArguments' });
    expect(refused.message).toContain('dry_run_token');
    const { deleted_count, dry_run, dry_run_token } = await rehearse(made);
    expect([deleted_count, dry_run, await remaining(made)]).toEqual([3, true, 4]);
    const { data } = await mcp.call('data_delete', { ...args, max_affected: 3, dry_run_token });
    expect([data, await remaining(made)]).toEqual([{ deleted_count: 3 }, 1]);
    const events = await eventsOf(app, made);
    expect(events.at(-1)).toMatchObject({
      type: 'collections.records.deleted',
      count: 3,
      actor: { via: 'mcp' },
    });
  });

  it('requires no token if at most one can be affected', async () => {
    const made = await shelf();
    const one = { collection_id: made.id, max_affected: 1 };
    expect((await mcp.call('data_delete', { ...one, filter: { title: 'new' } })).data.deleted_count).toBe(1);
    expect((await mcp.call('data_delete', { ...one, filter: FILTER })).error).toBe('InvalidArguments');
    expect(await remaining(made)).toBe(3);
  });

  it('refuses a token of another collection, filter or caller, and a token that was changed', async () => {
    const made = await shelf();
    const other = await shelf();
    const { dry_run_token } = await rehearse(made);
    const call = (args: object, { call: as } = mcp) =>
      as('data_delete', { collection_id: made.id, filter: FILTER, max_affected: 3, dry_run_token, ...args });
    const admin = await connect(app, await newMember(app, home.org, 'admin'));
    const [body, signature] = dry_run_token.split('.');
    const forged = Buffer.from(
      JSON.stringify({ ...JSON.parse(Buffer.from(body, 'base64url').toString()), count: 100 }),
    ).toString('base64url');
    const attempts = [
      await call({ collection_id: other.id }),
      await call({ filter: { title: { $in: ['old', 'new'] } } }),
      await call({ filter: {}, allow_match_all: true }),
      await call({}, admin),
      await call({ dry_run_token: `${forged}.${signature}` }),
      await call({ dry_run_token: `${body}.` }),
      await call({ dry_run_token: 'made up' }),
    ];
    for (const { error, message } of attempts) {
      expect([error, message]).toEqual([
        'InvalidArguments',
        'dry_run_token: is not a token that you received for this collection and these arguments',
      ]);
    }
    expect([await remaining(made), await remaining(other)]).toEqual([4, 4]);
  });

  it('accepts a token once', async () => {
    const made = await shelf();
    const { dry_run_token } = await rehearse(made);
    const args = { collection_id: made.id, filter: FILTER, max_affected: 3, dry_run_token };
    const both = await Promise.all([mcp.call('data_delete', args), mcp.call('data_delete', args)]);
    expect(both.map(({ data }) => data?.deleted_count).filter(Boolean)).toEqual([3]);
    await insert(app, made, FILTER);
    const again = await mcp.call('data_delete', args);
    expect(again).toMatchObject({ error: 'InvalidArguments' });
    expect(again.message).toContain('was used');
    expect(await remaining(made)).toBe(2);
  });

  it('deletes only records that the dry run counted', async () => {
    const made = await shelf();
    const { dry_run_token } = await rehearse(made);
    await insert(app, made, FILTER);
    const args = { collection_id: made.id, filter: FILTER, max_affected: 100, dry_run_token };
    expect((await mcp.call('data_delete', args)).error).toBe('InvalidArguments');
    expect(await remaining(made)).toBe(5);
  });

  it('deletes nothing if as many other records match as the dry run found', async () => {
    const made = await shelf();
    const { dry_run_token } = await rehearse(made);
    const body = { filter: FILTER, update: { title: 'kept' } };
    await app.request('PATCH', `${made.path}/data`, { ...home.owner, body });
    for (let record = 0; record < 3; record += 1) await insert(app, made, FILTER);
    const args = { collection_id: made.id, filter: FILTER, max_affected: 3, dry_run_token };
    const refused = await mcp.call('data_delete', args);
    expect(refused).toMatchObject({ error: 'InvalidArguments' });
    expect(refused.message).toContain('Repeat the dry run');
    expect(await remaining(made)).toBe(7);
  });

  it('is refused after five minutes', async () => {
    const made = await shelf();
    const { dry_run_token, expires_at } = await rehearse(made);
    expect(Date.parse(expires_at) - clock.now().getTime()).toBeLessThanOrEqual(300_000);
    clock.move(301);
    const args = { collection_id: made.id, filter: FILTER, max_affected: 3, dry_run_token };
    expect((await mcp.call('data_delete', args)).message).toContain('has expired');
    expect(await remaining(made)).toBe(4);
  });

  it('with a filter that matches all records also requires allow_match_all', async () => {
    const made = await shelf();
    const args = { collection_id: made.id, filter: {} };
    expect((await mcp.call('data_delete', { ...args, dry_run: true })).error).toBe('InvalidArguments');
    const { dry_run_token } = (
      await mcp.call('data_delete', { ...args, dry_run: true, allow_match_all: true })
    ).data;
    const { data } = await mcp.call('data_delete', {
      ...args,
      max_affected: 4,
      allow_match_all: true,
      dry_run_token,
    });
    expect(data).toEqual({ deleted_count: 4 });
  });
});

describe('limits of calls', () => {
  it('count every message of a caller, 600 per minute', async () => {
    nextMinute();
    const ping = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
    const { headers } = await send(app, home.owner, ping);
    expect(headers.get('ratelimit-policy')).toBe('"mcp";q=600;w=60');
    expect(headers.get('ratelimit-remaining')).toBe('599');
  });

  it('count a question as a question, through MCP and REST', async () => {
    nextMinute();
    const made = await newTypedCollection(app, home);
    const question = 'How many records are there?';
    expect(
      (await app.request('POST', `${made.path}/ask`, { ...home.owner, body: { question } })).status,
    ).toBe(200);
    const ask = () => mcp.call('ask_collection', { collection_id: made.id, question });
    expect((await ask()).error).toBeUndefined();
    expect((await ask()).error).toBe('TooManyRequests');
    expect((await mcp.call('data_count', { collection_id: made.id })).data.count).toBe(0);
  });
});
