import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TestApp } from '../../../test/harness/app.js';
import { newService, permissiveApp, type Service } from './service.js';
import { rowsOf, tcol } from './tcol.js';

let app: TestApp;
let service: Service;
let made = 0;
let name: string;
beforeAll(async () => {
  app = await permissiveApp();
  service = await newService(app, 'trash');
});
afterAll(() => app.close());
beforeEach(async () => {
  name = `books-${++made}`;
  await run('collections', 'create', name, '--column', 'title:text');
  await run('insert', name, '[{"title":"Emma"},{"title":"Ulysses"}]');
});

const run = (...args: string[]) => tcol(args, { env: service.env });
const remove = (...args: string[]) => run('collections', 'delete', ...args, '--yes');
const inTrash = async () => rowsOf(await run('trash'));

describe('tcol collections delete', () => {
  it('says until when the collection can be restored, and how', async () => {
    const { code, stderr } = await remove(name);
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(
        `Deleted ${name}\\. Until .*Z it can be restored: tcol collections restore ${name}`,
      ),
    ]);
    expect((await run('count', name)).code).toBe(1);
    expect(await inTrash()).toMatchObject([{ name, deleted_at: expect.any(String) }]);
    await remove((await inTrash())[0].collection_id, '--permanent');
  });

  it('asks with the number of records, and whether that can be undone', async () => {
    const asked = await run('collections', 'delete', name);
    expect([asked.code, asked.stderr]).toEqual([
      2,
      expect.stringContaining(`Delete ${name} with 2 records? It can be restored for 7 days.`),
    ]);
    const forGood = await run('collections', 'delete', name, '--permanent');
    expect(forGood.stderr).toContain(`Delete ${name} with 2 records? This cannot be undone.`);
    expect((await run('count', name)).stdout.trim()).toBe('2');
  });

  it('--permanent deletes for good, also out of the trash', async () => {
    const { stderr } = await remove(name, '--permanent');
    expect(stderr).toContain(`Deleted ${name} for good.`);
    expect(await inTrash()).toEqual([]);
    const other = `${name}-other`;
    await run('collections', 'create', other);
    await remove(other);
    const [{ collection_id: id }] = await inTrash();
    const asked = await run('collections', 'delete', id, '--permanent');
    expect(asked.stderr).toContain(`Delete ${id} out of the trash? This cannot be undone.`);
    expect((await remove(id, '--permanent')).code).toBe(0);
    expect(await inTrash()).toEqual([]);
  });
});

describe('tcol collections restore', () => {
  it('brings the collection back with its records', async () => {
    await remove(name);
    const { code, stdout } = await run('collections', 'restore', name);
    expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ name, status: 'ready' })]);
    expect((await run('count', name)).stdout.trim()).toBe('2');
    expect(await inTrash()).toEqual([]);
  });

  it('takes --name when the name is in use', async () => {
    await remove(name);
    await run('collections', 'create', name);
    const refused = await run('collections', 'restore', name);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(`named ${name}`)]);
    const { code, stdout } = await run('collections', 'restore', name, '--name', `${name}-again`);
    expect([code, JSON.parse(stdout).name]).toEqual([0, `${name}-again`]);
    expect((await run('count', `${name}-again`)).stdout.trim()).toBe('2');
  });

  it('fails for a collection that is not in the trash', async () => {
    const { code, stderr } = await run('collections', 'restore', name);
    expect([code, stderr]).toEqual([1, expect.stringContaining('There is no collection')]);
  });
});

describe('tcol trash', () => {
  it('lists deleted collections as a table with their times and ids', async () => {
    await remove(name);
    const { stdout } = await run('trash', '-o', 'table');
    for (const word of ['name', 'deleted_at', 'restorable_until', 'id', name]) expect(stdout).toContain(word);
    await run('collections', 'restore', name);
    expect((await run('trash')).stdout).toBe('');
  });
});
