import { afterEach, expect, it, vi } from 'vitest';
import { type Access, CollectionAccess } from './collection-access.js';
import type { CollectionDirectory } from './collection-directory.js';

afterEach(() => vi.restoreAllMocks());

/** Access to a collection that has another version each time somebody looks. */
function changing() {
  vi.spyOn(Math, 'random').mockReturnValue(0);
  const accesses = new CollectionAccess({} as CollectionDirectory);
  let version = 1;
  const access = () => ({ collection: { id: 'c', version: version++ } }) as Access;
  vi.spyOn(accesses, 'fresh').mockImplementation(async () => access());
  return { accesses, access: access() };
}

it('a statement outlasts a burst of changes of its collection', async () => {
  const { accesses, access } = changing();
  const versions: number[] = [];
  const work = async ({ collection: { version } }: Access) => {
    versions.push(version);
    return version > 25 ? 'done' : undefined;
  };
  expect(await accesses.fenced(access, work)).toBe('done');
  expect(versions).toEqual(Array.from({ length: 26 }, (_, index) => index + 1));
});

it('a statement gives up where changes never end', async () => {
  const { accesses, access } = changing();
  const work = vi.fn(async () => undefined);
  await expect(accesses.fenced(access, work)).rejects.toMatchObject({ code: 'Unavailable' });
  expect(work.mock.calls.length).toBeLessThan(100);
});
