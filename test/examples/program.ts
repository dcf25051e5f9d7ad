import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { beforeAll, onTestFinished } from 'vitest';
import { startApp, type TestApp } from '../harness/app.js';
import { type Home, newCollection, newHome, type TestCollection } from '../harness/collection.js';
import { newKey } from '../scenarios/orgs/org.js';

/** Examples use the built client, as programs outside of this repository do. */
export function buildClientBefore(): void {
  beforeAll(() => {
    execFileSync(process.execPath, ['scripts/build-if-needed.mjs', 'client'], { stdio: 'inherit' });
  });
}

interface Shelf {
  readonly app: TestApp;
  readonly home: Home;
  readonly books: TestCollection;
  /** The settings of an example. */
  readonly environment: { readonly TC_URL: string; readonly TC_KEY: string };
}

/** An empty collection `books` with the columns `title` and `year`, and a key of its organization. */
export async function newShelf(app?: TestApp): Promise<Shelf> {
  const service = app ?? (await startApp());
  const home = await newHome(service);
  const books = await newCollection(service, home, {
    name: 'books',
    properties: { title: { type: 'text', nullable: false }, year: { type: 'integer' } },
    uniques: [{ properties: ['title'] }],
  });
  const { apiKey } = await newKey(service, home.org);
  return { app: service, home, books, environment: { TC_URL: service.url, TC_KEY: apiKey } };
}

export interface Program {
  readonly child: ChildProcess;
  /** What it has printed so far. */
  readonly out: string;
  readonly err: string;
  /** Its exit code; null if a signal ended it. */
  readonly ended: Promise<number | null>;
}

/** Starts `node examples/<file> <args>`. It is ended after the test if it still runs. */
export function start(
  file: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Program {
  const child = spawn(process.execPath, [`examples/${file}`, ...args], {
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', text => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', text => {
    err += text;
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return {
    child,
    get out() {
      return out;
    },
    get err() {
      return err;
    },
    ended: once(child, 'close').then(([code]) => code),
  };
}

/** Runs an example to its end. */
export async function runToEnd(...started: Parameters<typeof start>) {
  const program = start(...started);
  const code = await program.ended;
  return { code, out: program.out, err: program.err };
}
