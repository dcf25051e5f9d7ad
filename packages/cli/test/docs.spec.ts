import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { examplesOf, filledIn, run, tablesOf } from '../../../test/conformance/examples.js';
import { emptyDirectory } from '../../../test/harness/empty-directory.js';
import { EXIT } from '../src/exit.js';
import { newService } from './service.js';
import { build } from './terminal.js';

const directory = emptyDirectory();
beforeAll(() => {
  build();
  const program = join(directory, 'tcol');
  writeFileSync(
    program,
    `#!/bin/sh\nexec '${process.execPath}' '${resolve('packages/cli/bin/tcol.js')}' "$@"\n`,
  );
  chmodSync(program, 0o755);
});

it.each(['docs/cli.md', 'packages/cli/README.md'])('%s states what its commands print', async page => {
  const { env } = await newService();
  const examples = examplesOf(readFileSync(page, 'utf8'));
  expect(examples.length).toBeGreaterThan(0);
  const [first, ...others] = examples;
  const there = { ...first, commands: `cd '${emptyDirectory()}'\n${first?.commands}` };
  const environment = { ...env, PATH: `${directory}:${process.env.PATH}` };
  const { printed } = await run([there, ...others] as typeof examples, environment, []);
  for (const [n, { commands, json, text }] of examples.entries()) {
    const real = printed[n]?.trim() ?? '';
    if (json !== undefined) expect(JSON.parse(real), commands).toEqual(filledIn(json, JSON.parse(real)));
    else expect(real, commands).toBe(text ?? '');
  }
});

it('docs/cli.md lists every exit code', () => {
  const table = tablesOf(readFileSync('docs/cli.md', 'utf8')).find(({ header }) => header[0] === 'Exit code');
  expect(table?.rows.map(([code]) => Number(code))).toEqual(Object.values(EXIT));
});
