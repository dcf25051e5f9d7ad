import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { insert } from '../harness/collection.js';
import { emptyDirectory } from '../harness/empty-directory.js';
import { buildClientBefore, newShelf, start } from './program.js';

buildClientBefore();

const TITLES = Array.from({ length: 90 }, (_, n) => `Book ${n}`);

it('a worker that is killed in the middle writes every change once, in order', async () => {
  const { app, books, environment } = await newShelf();
  const directory = emptyDirectory();
  const [log, state] = [join(directory, 'log.ndjson'), join(directory, 'state.json')];
  const text = () => readFile(log, 'utf8').catch(() => '');
  const lines = async () => (await text()).split('\n').slice(0, -1);
  const position = () => readFile(state, 'utf8').catch(() => undefined);
  const worker = () => start('follow-changes/follow.mjs', ['books', log, state], environment);
  const add = async (titles: readonly string[]) => {
    for (const title of titles) await insert(app, books, { title });
  };

  await insert(app, books, { title: 'before the first start' });
  const first = worker();
  await expect.poll(position).toBeDefined();
  const adding = add(TITLES.slice(0, 60));
  await expect.poll(async () => (await lines()).length).toBeGreaterThan(20);
  first.child.kill('SIGKILL');
  expect(await first.ended).toBeNull();
  await adding;
  await add(TITLES.slice(60));
  expect((await lines()).length).toBeLessThan(TITLES.length);

  // What a worker leaves that is killed between a line and its position, or within a line.
  const [line] = await lines();
  await appendFile(log, `${line}\n${line?.slice(0, 20)}`);

  const second = worker();
  await expect.poll(async () => (await lines()).length).toBeGreaterThanOrEqual(TITLES.length);
  await expect.poll(position).toContain(JSON.parse((await lines()).at(-1) as string).id);
  second.child.kill('SIGTERM');
  expect([await second.ended, second.err]).toEqual([0, '']);
  const changes = (await lines()).map(each => JSON.parse(each));
  expect(changes.map(({ type }) => type)).toEqual(TITLES.map(() => 'inserted'));
  expect(changes.map(({ record }) => record.title)).toEqual(TITLES);
});
