import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join, normalize } from 'node:path';
import { beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { openBrowser, skipsBrowser } from './chromium.js';
import { newLibrary, type TestLibrary } from './library.js';

let library: TestLibrary;
let folder: string;
beforeAll(() => {
  execFileSync(process.execPath, ['scripts/build-if-needed.mjs', 'client'], { stdio: 'inherit' });
});
beforeEach(async () => {
  library = await newLibrary();
  folder = await mkdtemp(join(tmpdir(), 'client-examples-'));
  onTestFinished(() => rm(folder, { recursive: true }));
});

interface Running {
  readonly process: ChildProcess;
  /** What the program has printed so far. */
  output(): string;
  errors(): string;
}

/** Starts an example. It is ended after the test. */
function start(name: string, options: string[], key = library.key): Running {
  const env = { ...process.env, TC_URL: library.app.url, TC_KEY: key };
  const child = spawn(process.execPath, [`examples/${name}`, ...options], { env });
  onTestFinished(() => void child.kill('SIGKILL'));
  let [output, errors] = ['', ''];
  child.stdout.on('data', text => (output += text));
  child.stderr.on('data', text => (errors += text));
  return { process: child, output: () => output, errors: () => errors };
}

const ended = async ({ process }: Running) => (await once(process, 'close'))[0];

it('import-csv.mjs imports a file, and again, and lists the rows that do not fit', async () => {
  const file = join(folder, 'books.csv');
  await writeFile(file, 'title,year,isbn\nEmma,1815,1\nUlysses,soon,2\n');
  const first = start('import-csv.mjs', ['books', file, 'isbn']);
  expect(await ended(first)).toBe(3);
  expect(first.output()).toBe('1 inserted, 0 updated, 1 left out\n');
  expect(first.errors()).toContain('row 2, year: ');
  await writeFile(file, 'title,year,isbn\nEmma,1816,1\n');
  const second = start('import-csv.mjs', ['books', file, 'isbn']);
  expect(await ended(second)).toBe(0);
  expect(second.output()).toBe('0 inserted, 1 updated, 0 left out\n');
});

it('follow-changes.mjs handles what is there and each change once, also after a restart', async () => {
  const options = ['books', join(folder, 'position')];
  await library.books.insert({ title: 'Emma' });
  const first = start('follow-changes.mjs', options);
  await expect.poll(first.output).toContain('present {');
  await library.books.insert({ title: 'Persuasion' });
  await expect.poll(first.output).toMatch(/inserted .*Persuasion/);
  first.process.kill('SIGTERM');
  expect(await ended(first)).toBe(0);
  await library.books.insert({ title: 'Sanditon' });
  const second = start('follow-changes.mjs', options);
  await expect.poll(second.output).toMatch(/inserted .*Sanditon/);
  expect(second.output()).not.toMatch(/Emma|Persuasion/);
  second.process.kill('SIGTERM');
  expect(await ended(second)).toBe(0);
});

it('agent.mjs uses the tools of its collection with a key of this collection', async () => {
  await library.books.insert([{ title: 'Emma' }, { title: 'Emmeline' }]);
  const { body } = await library.app.request('POST', `${library.collection.path}/api-keys`, {
    ...library.collection.owner,
    body: {
      name: 'Agent',
      slug: `agent-${Date.now()}`,
      permissions: ['collections:read', 'collections:write'],
    },
  });
  const agent = start('agent.mjs', [library.collection.id, 'emm'], body.secret);
  expect([await ended(agent), agent.errors()]).toEqual([0, '']);
  expect(agent.output()).toContain('found 2: Emma, Emmeline');
  expect(agent.output()).toContain('wrote: Note: 2 about emm');
});

it.skipIf(skipsBrowser)('live-list.html shows the records and follows their changes', async () => {
  const types: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript' };
  const server = createServer(async (request, response) => {
    const path = normalize(new URL(request.url as string, 'http://x').pathname);
    try {
      const file = await readFile(`.${path}`);
      response.setHeader('content-type', types[extname(path)] ?? 'text/plain').end(file);
    } catch {
      response.writeHead(404).end();
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const [emma] = (await library.books.insert({ title: 'Emma' })).ids as [string];
  const tab = await (await openBrowser()).newPage();
  const options = new URLSearchParams({ url: library.app.url, key: library.key, collection: 'books' });
  await tab.goto(
    `http://127.0.0.1:${(server.address() as AddressInfo).port}/examples/live-list.html#${options}`,
  );
  const list = () => tab.locator('li').allTextContents();
  await expect.poll(list).toEqual(['Emma']);
  await tab.fill('input', 'Persuasion');
  await tab.click('button');
  await expect.poll(list).toEqual(['Emma', 'Persuasion']);
  await library.books.update(emma, { title: '<b>Sanditon</b>' });
  await expect.poll(list).toEqual(['<b>Sanditon</b>', 'Persuasion']);
  await library.books.delete(emma);
  await expect.poll(list).toEqual(['Persuasion']);
});
