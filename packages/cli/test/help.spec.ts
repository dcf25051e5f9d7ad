import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestApp } from '../../../test/harness/app.js';
import { emptyDirectory } from '../../../test/harness/empty-directory.js';
import { type Receiver, startReceiver } from '../../../test/scenarios/webhooks/receiver.js';
import { programOf } from '../src/program.js';
import { newService, permissiveApp, type Service } from './service.js';
import { type Outcome, rowsOf, tcol } from './tcol.js';

const SCREEN_LINES = 30;
const SCREEN_COLUMNS = 80;

/** The commands that do something, by their words. */
function leaves(command: Command, words: readonly string[] = []): readonly { words: string; help: string }[] {
  if (command.commands.length > 0)
    return command.commands.flatMap(each => leaves(each, [...words, each.name()]));
  const written: string[] = [];
  command.configureOutput({ writeOut: text => void written.push(text) }).outputHelp();
  return [{ words: words.join(' '), help: written.join('') }];
}

const io = { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr, env: {} };
const commands = leaves(programOf(io, () => async () => {}));
const examplesOf = (help: string) =>
  (help.split('Examples:\n')[1] ?? '')
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '');

it('tcol --help fits one screen and names all commands', async () => {
  const { stdout } = await tcol(['--help']);
  const lines = stdout.trimEnd().split('\n');
  expect(lines.length).toBeLessThanOrEqual(SCREEN_LINES);
  expect(Math.max(...lines.map(line => line.length))).toBeLessThanOrEqual(SCREEN_COLUMNS);
  for (const [word] of commands.map(({ words }) => words.split(' ')))
    expect(stdout).toMatch(new RegExp(`\\b${word}\\b`));
});

it.each(commands)('tcol $words --help has two examples of it', ({ words, help }) => {
  const lines = examplesOf(help);
  expect(lines).toHaveLength(2);
  for (const line of lines)
    expect(line).toMatch(new RegExp(`\\btcol ${words.replace(/ list$/, '( list)?')}\\b`));
});

describe('the examples of', () => {
  let app: TestApp;
  let service: Service;
  let receiver: Receiver;
  let directory: string;
  const previous = process.cwd();
  const variables: Record<string, string> = {};
  const run = (...args: string[]) => tcol(args, { env: service.env });

  beforeAll(async () => {
    app = await permissiveApp();
    service = await newService(app, 'acme');
    receiver = await startReceiver();
    await run('api', 'POST', '/v2/orgs/acme/groups', '{"slug":"editors","name":"Editors"}');
    directory = emptyDirectory();
    writeFileSync(join(directory, 'books.json'), '[{"title":"Ulysses","year":1922}]');
    writeFileSync(join(directory, 'books.csv'), 'title,year\nDubliners,1914\n');
    await makeBooks();
    const [{ _id }] = rowsOf(await run('insert', 'books', '{"title":"Emma","year":1815}'));
    variables.ID = _id;
    // A file that an example names is in this directory.
    process.chdir(directory);
  });
  afterAll(async () => {
    process.chdir(previous);
    await receiver.close();
    await app.close();
  });

  const makeBooks = async () => {
    const columns = ['title:text!', 'year:integer', 'tags:array'].flatMap(column => ['--column', column]);
    return run('collections', 'create', 'books', ...columns);
  };
  const removeBooks = () => run('collections', 'delete', 'books', '--yes');
  const makeProfiles = () => {
    const profile = { url: app.url, production: false, credential: { type: 'key', key: 'unused' } };
    const content = { current: 'default', profiles: { default: profile, staging: profile } };
    writeFileSync(join(service.env.TC_CONFIG_DIR as string, 'profiles.json'), JSON.stringify(content));
  };
  const makeWebhooks = async () => {
    const made = [0, 1].map(() => run('webhooks', 'create', 'books', receiver.url));
    await Promise.all(made);
    const [first, other] = rowsOf(await run('webhooks', 'list', 'books'));
    Object.assign(variables, { WEBHOOK: first.id, OTHER: other.id });
    await run('webhooks', 'test', 'books', first.id);
    await expect
      .poll(async () =>
        rowsOf(await run('webhooks', 'deliveries', 'books', first.id, '--status', 'delivered')),
      )
      .toHaveLength(1);
    const [{ id }] = rowsOf(await run('webhooks', 'deliveries', 'books', first.id));
    variables.DELIVERY = id;
  };

  /** Changes all books, so that there is something to undo since an instant. */
  const changeAll = async () => {
    const [present] = rowsOf(await run('history', 'books', variables.ID as string));
    await run('update', 'books', '{}', '{"$inc":{"year":1}}', '--all', '--yes');
    const [{ actor, event_id }] = rowsOf(await run('history', 'books', variables.ID as string));
    const caller = `${actor.type}:${actor.id}`;
    Object.assign(variables, { INSTANT: present.valid_from, EVENT: event_id, ACTOR: caller });
  };

  /** What an example needs that an earlier one has used up. */
  const before: Readonly<Record<string, () => unknown>> = {
    logout: makeProfiles,
    'profiles use': makeProfiles,
    'collections create': removeBooks,
    'collections delete': () => run('collections', 'create', 'drafts'),
    'collections restore': async () => {
      await run('collections', 'create', 'sketches');
      await run('collections', 'delete', 'sketches', '--yes');
    },
    undo: () => changeAll(),
    restore: () => changeAll(),
    'webhooks test': () => variables.WEBHOOK ?? makeWebhooks(),
  };
  const after: Readonly<Record<string, () => unknown>> = {
    'collections create': async () => {
      await removeBooks();
      await makeBooks();
      const [{ _id }] = rowsOf(await run('insert', 'books', '{"title":"Emma","year":1815,"tags":["novel"]}'));
      variables.ID = _id;
    },
  };

  /** Needs a person with a browser: session.spec.ts and terminal.spec.ts sign in. */
  const INTERACTIVE = /^tcol (login|open$)/;
  const ASKS = /^tcol (collections delete|keys (rotate|revoke)|access revoke|webhooks delete)/;

  /** Runs an example. While it waits for a change, records are inserted. */
  async function outcomeOf(line: string, words: string): Promise<Outcome> {
    const ended = run(...split(line), ...(ASKS.test(line) ? ['--yes'] : []));
    if (words !== 'watch') return ended;
    for (;;) {
      const outcome = await Promise.race([ended, setTimeout(200)]);
      if (outcome !== undefined) return outcome;
      await run('insert', 'books', '{"title":"Dubliners","year":1914}');
    }
  }

  /** The words of a command line, as a shell splits them. */
  function split(line: string): string[] {
    const args = line.replace(/^(\w+=\S+ )*tcol/, '').replaceAll('https://example.com/hook', receiver.url);
    const text = execFileSync('sh', ['-c', `printf '%s\\0' ${args}`], {
      encoding: 'utf8',
      env: { ...variables, PATH: process.env.PATH },
    });
    return text.split('\0').slice(0, -1);
  }

  it.each(commands.filter(({ words }) => words !== 'login'))('tcol $words work', async ({ words, help }) => {
    const lines = examplesOf(help).filter(line => !INTERACTIVE.test(line));
    expect(lines.length).toBeGreaterThan(0);
    try {
      for (const line of lines) {
        await before[words]?.();
        const { code, stderr } = await outcomeOf(line, words);
        expect([code, stderr], line).toEqual([0, expect.not.stringContaining('error')]);
      }
    } finally {
      await after[words]?.();
    }
  });

  it('wrote the files that they name', () => {
    expect(readFileSync('all.csv', 'utf8')).toContain('Emma');
    expect(JSON.parse(readFileSync('schema/books.json', 'utf8')).properties.title).toBeDefined();
    expect(readFileSync('collections.ts', 'utf8')).toContain('books:');
  });
});
