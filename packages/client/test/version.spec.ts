import { readFileSync } from 'node:fs';
import { VERSION } from '@typed-collections/client';
import { expect, it } from 'vitest';

it('exports the version of its package', () => {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  expect(VERSION).toBe(version);
});
