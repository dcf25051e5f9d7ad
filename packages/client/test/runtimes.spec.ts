import { execFile, execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { bundleOf } from './bundle.js';
import { EXERCISED } from './exercised.js';
import { newLibrary } from './library.js';
import { openRedirects } from './redirects.js';
import { startWorker } from './worker.js';

const FOLDER = 'packages/client/test/runtimes';
const BIN = `${FOLDER}/node_modules/.bin`;

/** How each runtime runs a file without reading a configuration of this project. */
const RUNTIMES = {
  node: [process.execPath],
  deno: [`${BIN}/deno`, 'run', '--no-config', '--no-lock', '--allow-net'],
  bun: [`${BIN}/bun`, 'run', '--no-install'],
};

beforeAll(() => {
  execFileSync(process.execPath, ['scripts/build-if-needed.mjs', 'client'], { stdio: 'inherit' });
});

/** Skips the tests of a runtime that is not installed, unless runtimes are required. */
function onRuntime(name: string, program: string, test: (program: string) => Promise<void>): void {
  const isMissing = !existsSync(program);
  it.skipIf(isMissing && process.env.REQUIRE_RUNTIMES !== '1')(
    `on ${name} the built client does all it promises, and follows no redirect`,
    async () => {
      if (isMissing) throw new Error(`${name} is not installed: npm ci --prefix ${FOLDER}`);
      await test(program);
    },
  );
}

/** What the exercise returns with an address that redirects. */
const DONE = { ...EXERCISED, redirected: 'Http307 307' };

describe.each(Object.entries(RUNTIMES))('a program', (name, [program, ...options]) => {
  onRuntime(name, program as string, async runtime => {
    const { app, key } = await newLibrary();
    const redirects = await openRedirects();
    const { stdout } = await promisify(execFile)(
      runtime,
      [...options, `${FOLDER}/run.mjs`, app.url, key, redirects.url],
      { env: { ...process.env, DENO_NO_UPDATE_CHECK: '1', NO_COLOR: '1' }, timeout: 90_000 },
    );
    expect(JSON.parse(stdout)).toEqual(DONE);
    expect(redirects.followed).toBe(0);
  });
});

describe('a worker', () => {
  onRuntime('workerd', `${BIN}/workerd`, async runtime => {
    const { app, key } = await newLibrary();
    const redirects = await openRedirects();
    const text = await bundleOf(`
      import * as client from '@typed-collections/client';
      import { exercise } from './exercise.mjs';
      export default {
        async fetch(request) {
          return request.method === 'POST' ? Response.json(await exercise(client, await request.json())) : new Response();
        },
      };`);
    const worker = await startWorker(runtime, text);
    const body = JSON.stringify({ url: app.url, key, redirecting: redirects.url });
    const response = await fetch(worker, { method: 'POST', body });
    expect(await response.json()).toEqual(DONE);
    expect(redirects.followed).toBe(0);
  });
});
