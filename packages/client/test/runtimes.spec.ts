import { execFile, execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { EXERCISED } from './exercised.js';
import { newLibrary } from './library.js';

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

describe.each(Object.entries(RUNTIMES))('on %s', (name, [program, ...options]) => {
  const isMissing = !existsSync(program as string);

  it.skipIf(isMissing && process.env.REQUIRE_RUNTIMES !== '1')(
    'the built client does all it promises',
    async () => {
      if (isMissing) throw new Error(`${name} is not installed: npm ci --prefix ${FOLDER}`);
      const { app, key } = await newLibrary();
      const { stdout } = await promisify(execFile)(
        program as string,
        [...options, `${FOLDER}/run.mjs`, app.url, key],
        { env: { ...process.env, DENO_NO_UPDATE_CHECK: '1', NO_COLOR: '1' }, timeout: 90_000 },
      );
      expect(JSON.parse(stdout)).toEqual(EXERCISED);
    },
  );
});
