import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { migrationNames } from '../migrate.js';
import { lossOf, newestOf, releases } from './releases.js';

it('names the newest migration of every release in the changelog', async () => {
  const changelog = await readFile('CHANGELOG.md', 'utf8');
  const released = [...changelog.matchAll(/^## \[(\d+\.\d+\.\d+)\]/gm)].map(
    ([, version]) => version as string,
  );
  expect(releases().toReversed()).toEqual(released);
  const names = migrationNames();
  const newest = releases().map(version => names.indexOf(newestOf(version, names) as string));
  expect(newest).not.toContain(-1);
  expect(newest).toEqual(newest.toSorted((a, b) => a - b));
});

it('says of every migration after version 1.0.0 what taking it back loses', () => {
  const names = migrationNames();
  const later = names.slice(names.indexOf(newestOf('1.0.0', names) as string) + 1);
  const unknown = lossOf('Unknown1795000000001').loses;
  expect(later.filter(name => lossOf(name).loses === unknown)).toEqual([]);
});
