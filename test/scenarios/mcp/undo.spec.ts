import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import {
  eventsOf,
  type Home,
  insert,
  newCollection,
  newHome,
  read,
  search,
  written,
} from '../../harness/collection.js';
import { newestEvent, undone, writing } from '../history/undo.js';
import { newKey } from '../orgs/org.js';
import { newAgent } from '../sharing/sharing.js';
import { connect, type McpClient } from './client.js';

interface Version {
  readonly version: number;
  readonly event_id: string;
  readonly record: { readonly year: number };
}

interface Page {
  readonly data: { readonly items: Version[]; readonly next_cursor: string | null };
}

describe('the history of records by MCP', () => {
  let app: TestApp;
  let home: Home;
  let mcp: McpClient;
  let key: { id: string; apiKey: string };
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
    key = await newKey(app, home.org);
    mcp = await connect(app, { key: key.apiKey });
  });
  const newBooks = () =>
    newCollection(app, home, { properties: { title: { type: 'text' }, year: { type: 'integer' } } });

  it('data_history lists the versions of a record with the events that data_undo takes', async () => {
    const books = await newBooks();
    const [id] = (await insert(app, books, { year: 1 })) as [string];
    const event = await writing(app, books, 'PATCH', `/data/${id}`, { $set: { year: 2 } });
    const args = { collection_id: books.id, record_id: id };
    const { data, text } = await mcp.call('data_history', args);
    expect(
      data.items.map(({ version, event_id, record }: Version) => [version, event_id === event, record.year]),
    ).toEqual([
      [2, true, 2],
      [1, false, 1],
    ]);
    expect(text).toContain('2 versions');
    const { data: first } = await mcp.call('data_history', { ...args, limit: 1 });
    const { data: second } = await mcp.call('data_history', { ...args, cursor: first.next_cursor });
    expect([...first.items, ...second.items]).toEqual(data.items);
    const { error } = await mcp.call('data_history', { ...args, record_id: crypto.randomUUID() });
    expect(error).toBe('RecordNotFound');
  });

  it('data_history shows fewer versions when they are long, and continues after them', async () => {
    const books = await newBooks();
    const [id] = (await insert(app, books, { title: 'x'.repeat(20_000) })) as [string];
    for (let year = 1; year <= 9; year++)
      await writing(app, books, 'PATCH', `/data/${id}`, { $set: { year } });
    const years: number[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { data }: Page = await mcp.call('data_history', {
        collection_id: books.id,
        record_id: id,
        ...(cursor && { cursor }),
      });
      years.push(...data.items.map(({ record }: Version) => record.year));
      cursor = data.next_cursor;
    }
    expect(years).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, null]);
  });

  it('data_history shows the system fields and the event of a version that is larger than a result', async () => {
    const books = await newBooks();
    const [id] = (await insert(app, books, { title: 'x'.repeat(70_000) })) as [string];
    const names = Array.from({ length: 500 }, (_, n) => [`n${n}${'y'.repeat(240)}`, n]);
    const larger = await writing(app, books, 'PATCH', `/data/${id}`, { $set: Object.fromEntries(names) });
    const small = await writing(app, books, 'PATCH', `/data/${id}`, {
      $set: { title: 'small', year: 1 },
      $unset: Object.fromEntries(names.map(([name]) => [name, ''])),
    });
    const found: (Version & { record: object; changed: string[] })[] = [];
    const tooLarge: number[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { data, text, message } = await mcp.call('data_history', {
        collection_id: books.id,
        record_id: id,
        ...(cursor && { cursor }),
      });
      expect(message).toBeUndefined();
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(65_536);
      found.push(...data.items);
      tooLarge.push(...(data.too_large ?? []));
      cursor = data.next_cursor;
    }
    expect(found.map(({ version }) => version)).toEqual([3, 2, 1]);
    expect(found.map(({ event_id }) => event_id).slice(0, 2)).toEqual([small, larger]);
    const shown = found.map(({ record }) => Object.keys(record).toSorted());
    expect(shown).toEqual(found.map(() => ['_id', 'created_at', 'updated_at']));
    // The third version is small, but the names of what it changed are not.
    expect(tooLarge).toEqual([3, 2, 1]);
    expect(found[1]?.changed.length).toBeGreaterThan(0);
    expect(found[1]?.changed.length).toBeLessThan(500);
    expect(found[2]?.changed).toEqual(['title']);
    const undo = { collection_id: books.id, event_ids: [small] };
    const { data } = await mcp.call('data_undo', { ...undo, dry_run: true });
    expect(data.undone).toBe(1);
  });

  it('data_undo writes only what a dry run has shown, once', async () => {
    const books = await newBooks();
    const [id, other] = (await insert(app, books, { year: 1 }, { year: 1 })) as [string, string];
    await mcp.call('data_update', {
      collection_id: books.id,
      filter: {},
      allow_match_all: true,
      max_affected: 5,
      update: { year: 2 },
    });
    const event = await newestEvent(app, books);
    const args = { collection_id: books.id, event_ids: [event] };
    const before = await written(app, books);
    expect(await mcp.call('data_undo', args)).toMatchObject({
      error: 'InvalidArguments',
      message: expect.stringContaining('dry_run'),
    });
    const { data: would, text } = await mcp.call('data_undo', { ...args, dry_run: true });
    expect(would).toEqual({
      undone: 2,
      skipped: 0,
      conflicts: [],
      event_id: null,
      dry_run_token: expect.any(String),
      expires_at: expect.any(String),
    });
    expect(text).toContain('2 records would be put back');
    const { dry_run_token } = would;
    for (const wrong of [
      { ...args, on_conflict: 'force', dry_run_token },
      { ...args, dry_run_token: `${dry_run_token}x` },
      { collection_id: books.id, event_ids: [event, event], dry_run_token },
    ])
      expect(await mcp.call('data_undo', wrong)).toMatchObject({ error: 'InvalidArguments' });
    expect(await written(app, books)).toEqual(before);
    const { data } = await mcp.call('data_undo', { ...args, dry_run_token });
    expect(data).toEqual({ undone: 2, skipped: 0, conflicts: [], event_id: expect.any(String) });
    expect([(await read(app, books, id)).year, (await read(app, books, other)).year]).toEqual([1, 1]);
    expect((await eventsOf(app, books)).at(-1)).toMatchObject({
      type: 'collections.records.undone',
      actor: { via: 'mcp', id: key.id },
    });
    expect(await mcp.call('data_undo', { ...args, dry_run_token })).toMatchObject({
      error: 'InvalidArguments',
      message: expect.stringContaining('used already'),
    });
  });

  it('data_undo shows conflicts, and refuses more writes than the dry run has shown', async () => {
    const books = await newBooks();
    const since = new Date(Date.now() - 1_000).toISOString();
    const inserted = await mcp.call('data_insert', { collection_id: books.id, records: [{ year: 1 }] });
    const [id] = inserted.data.ids;
    const args = { collection_id: books.id, actor: { type: 'key', id: key.id }, since };
    const { data: would } = await mcp.call('data_undo', { ...args, dry_run: true });
    await mcp.call('data_insert', { collection_id: books.id, records: [{ year: 2 }] });
    const more = await mcp.call('data_undo', { ...args, dry_run_token: would.dry_run_token });
    expect(more).toMatchObject({
      error: 'InvalidArguments',
      message: expect.stringContaining('Repeat the dry run'),
    });
    await writing(app, books, 'PATCH', `/data/${id}`, { $set: { year: 3 } });
    const stopped = await mcp.call('data_undo', { ...args, dry_run: true });
    expect(stopped.data).toMatchObject({
      undone: 0,
      conflicts: [{ record_id: id, reason: 'changed_since' }],
    });
    expect(stopped.data).not.toHaveProperty('dry_run_token');
    const skipping = { ...args, on_conflict: 'skip' };
    const { data } = await mcp.call('data_undo', { ...skipping, dry_run: true });
    const done = await mcp.call('data_undo', { ...skipping, dry_run_token: data.dry_run_token });
    expect(done.data).toMatchObject({ undone: 1, skipped: 1 });
  });

  it('data_undo refuses as many other writes as the dry run has shown, and later writes to the same records', async () => {
    const books = await newBooks();
    const since = new Date(Date.now() - 1_000).toISOString();
    const args = {
      collection_id: books.id,
      actor: { type: 'key', id: key.id },
      since,
      on_conflict: 'force',
    };
    const rehearse = async () => {
      const { data } = await mcp.call('data_undo', { ...args, dry_run: true });
      return { ...args, dry_run_token: data.dry_run_token };
    };
    const add = async (year: number) =>
      (await mcp.call('data_insert', { collection_id: books.id, records: [{ year }] })).data.ids[0];
    const confirm = async (shown: Record<string, unknown>, stays: string) => {
      const before = await read(app, books, stays);
      expect(await mcp.call('data_undo', shown)).toMatchObject({
        error: 'InvalidArguments',
        message: expect.stringContaining('Repeat the dry run'),
      });
      expect(await read(app, books, stays)).toEqual(before);
    };
    const first = await add(1);
    const ofFirst = await rehearse();
    await writing(app, books, 'DELETE', `/data/${first}`);
    const second = await add(2);
    await confirm(ofFirst, second);
    const ofSecond = await rehearse();
    await writing(app, books, 'PATCH', `/data/${second}`, { $set: { year: 3 } });
    await confirm(ofSecond, second);
    expect((await mcp.call('data_undo', await rehearse())).data.undone).toBe(1);
    expect((await search(app, books)).records.map(({ _id }: { _id: string }) => _id)).not.toContain(second);
  });

  it('data_undo undoes own writes only, unless the caller is an admin', async () => {
    const agent = await newAgent(app, home.org);
    const books = await newCollection(app, home, { agent_ids: [agent.id] });
    const editor = await connect(app, { key: agent.key });
    const [id] = (await insert(app, books, { year: 1 })) as [string];
    const own = await writing(app, books, 'PATCH', `/data/${id}`, { year: 2 }, { key: agent.key });
    const others = await writing(app, books, 'PATCH', `/data/${id}`, { year: 3 });
    const dryRun = (client: McpClient, event: string) =>
      client.call('data_undo', { collection_id: books.id, event_ids: [event], dry_run: true });
    expect((await dryRun(editor, others)).error).toBe('Forbidden');
    expect((await dryRun(mcp, others)).data.undone).toBe(1);
    await undone(app, books, { event_ids: [others] });
    const { data } = await dryRun(editor, own);
    const args = { collection_id: books.id, event_ids: [own], dry_run_token: data.dry_run_token };
    expect((await mcp.call('data_undo', args)).error).toBe('InvalidArguments');
    expect((await editor.call('data_undo', args)).data.undone).toBe(1);
    expect((await read(app, books, id)).year).toBe(1);
  });
});
