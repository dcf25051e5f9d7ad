import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

it('prints the version of its package', () => {
  const program = fileURLToPath(new URL('../bin/tcol.js', import.meta.url));
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  expect(execFileSync(process.execPath, [program, '--version'], { encoding: 'utf8' }).trim()).toBe(version);
});
