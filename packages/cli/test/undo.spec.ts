import { beforeEach, describe, expect, it } from 'vitest';
import { newService, type Service } from './service.js';
import { rowsOf, tcol } from './tcol.js';

let service: Service;
let id: string;
const run = (...args: string[]) => tcol(args, { env: service.env });
const yearOf = async (record: string) => rowsOf(await run('get', 'books', record))[0].year;
const versions = async () => rowsOf(await run('history', 'books', id));

beforeEach(async () => {
  service = await newService();
  await run('collections', 'create', 'books', '--column', 'title:text!', '--column', 'year:integer');
  const books = '[{"title":"Emma","year":1815},{"title":"Ulysses","year":1922}]';
  id = rowsOf(await run('insert', 'books', books))[0]._id;
});

describe('tcol history', () => {
  it('prints the versions of a record with who wrote them, and at most --limit', async () => {
    await run('update', 'books', id, '{"year":1816}', '--id', '--yes');
    const found = await versions();
    expect(found).toMatchObject([
      { version: 2, operation: 'updated', changed: ['year'], record: { year: 1816 } },
      { version: 1, operation: 'inserted', record: { year: 1815 } },
    ]);
    expect(rowsOf(await run('history', 'books', id, '--limit', '1'))).toHaveLength(1);
    const { stdout } = await run('history', 'books', id, '-o', 'table');
    expect(stdout).toContain(found[0].event_id);
    expect(stdout).toMatch(/updated {2}year {2}event [0-9a-f-]{36} {2}by user .* \(rest\)/);
  });
});

describe('tcol undo', () => {
  let event: string;
  beforeEach(async () => {
    await run('update', 'books', '{}', '{"$set":{"year":0}}', '--all', '--yes');
    event = (await versions())[0].event_id;
  });

  it('says how many records it puts back, and asks', async () => {
    const asked = await run('undo', 'books', event);
    expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining('Put back 2 records of books?')]);
    expect(await yearOf(id)).toBe(0);
    const done = await run('undo', 'books', event, '--yes', '-o', 'table');
    expect([done.code, done.stdout]).toEqual([0, expect.stringContaining('2 records put back')]);
    expect(done.stderr).toMatch(/Event [0-9a-f-]{36} can be undone in turn/);
    expect(await yearOf(id)).toBe(1815);
  });

  it('--dry-run writes nothing', async () => {
    const { stdout } = await run('undo', 'books', event, '--dry-run', '-o', 'table');
    expect(stdout).toContain('2 records would be put back');
    expect(await yearOf(id)).toBe(0);
  });

  it('names the records that were written since, and --on-conflict decides about them', async () => {
    await run('update', 'books', id, '{"year":5}', '--id', '--yes');
    const stopped = await run('undo', 'books', event, '--yes', '-o', 'table');
    expect(stopped.code).toBe(2);
    expect(stopped.stdout).toContain('changed_since');
    expect(stopped.stderr).toContain('--on-conflict skip');
    expect(await yearOf(id)).toBe(5);
    await run('undo', 'books', event, '--yes', '--on-conflict', 'skip');
    expect(rowsOf(await run('query', 'books', '{"year":1922}'))).toHaveLength(1);
    expect(await yearOf(id)).toBe(5);
  });

  it('--actor with --since undoes the writes of a caller', async () => {
    const [{ actor, valid_from }] = await versions();
    const caller = `${actor.type}:${actor.id}`;
    const done = await run('undo', 'books', '--actor', caller, '--since', valid_from, '--yes');
    expect([done.code, rowsOf(done)]).toEqual([0, [expect.objectContaining({ undone: 2 })]]);
    expect(await yearOf(id)).toBe(1815);
  });

  it.each([
    [[], 'Name the writes'],
    [['--correlation', 'a', '--actor', 'user:1'], 'Name the writes'],
    [['--actor', 'nobody', '--since', '2026-01-01T00:00:00Z'], 'is not type:id'],
    [['--actor', 'user:1'], 'needs --since'],
  ])('refuses %j', async (args, message) => {
    const { code, stderr } = await run('undo', 'books', ...args);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe('tcol --as-of and restore', () => {
  it('read and restore what records were', async () => {
    const [{ valid_from: then }] = await versions();
    await run('update', 'books', '{}', '{"$set":{"year":0}}', '--all', '--yes');
    const counted = await run('count', 'books', '{"year":0}', '--as-of', then);
    expect(counted.stdout.trim()).toBe('0');
    expect(rowsOf(await run('query', 'books', '--as-of', then))).toMatchObject([
      { year: 1815 },
      { year: 1922 },
    ]);
    const dry = await run('restore', 'books', '{"title":"Emma"}', '--as-of', then, '--dry-run');
    expect(rowsOf(dry)).toMatchObject([{ restored: 1, deleted: 0 }]);
    const asked = await run('restore', 'books', '--as-of', then);
    expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining('Restore 2 records of books')]);
    expect(await yearOf(id)).toBe(0);
    expect((await run('restore', 'books', '--as-of', then, '--yes')).code).toBe(0);
    expect(await yearOf(id)).toBe(1815);
  });
});
