import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Credential, Profiles } from './profiles.js';

let directory: string;
let profiles: Profiles;
beforeEach(() => {
  directory = join(mkdtempSync(join(tmpdir(), 'profiles-')), 'typed-collections');
  profiles = new Profiles({ TC_CONFIG_DIR: directory });
});
afterEach(() => rmSync(join(directory, '..'), { recursive: true }));

const file = () => join(directory, 'profiles.json');
const modeOf = (path: string) => statSync(path).mode & 0o777;
const withKey = (key: string) => ({
  url: 'https://data.example.com',
  production: false,
  credential: { type: 'key', key } as Credential,
});

describe('the file of profiles', () => {
  it('and its directory can be read only by their person', async () => {
    await profiles.save('default', withKey('a'));
    expect([modeOf(directory), modeOf(file())]).toEqual([0o700, 0o600]);
  });

  it('loses the rights of others with the next change', async () => {
    await profiles.save('default', withKey('a'));
    chmodSync(file(), 0o644);
    await profiles.save('default', withKey('b'));
    expect(modeOf(file())).toBe(0o600);
  });

  it('keeps all profiles that several programs save at the same time', async () => {
    const names = Array.from({ length: 8 }, (_, n) => `p${n}`);
    await Promise.all(
      names.map(name => new Profiles({ TC_CONFIG_DIR: directory }).save(name, withKey(name))),
    );
    expect([...(await profiles.list()).profiles.keys()].sort()).toEqual(names);
  });

  it('that is not JSON is not overwritten', async () => {
    await profiles.save('default', withKey('a'));
    writeFileSync(file(), '{');
    await expect(profiles.save('default', withKey('b'))).rejects.toThrow('is not valid JSON');
    expect(readFileSync(file(), 'utf8')).toBe('{');
  });
});

describe('a profile', () => {
  it('that is saved is the one in use, until another one is chosen', async () => {
    await profiles.save('staging', withKey('s'));
    await profiles.save('production', withKey('p'));
    expect((await profiles.find(undefined))?.name).toBe('production');
    await profiles.use('staging');
    expect((await profiles.find(undefined))?.name).toBe('staging');
    expect((await profiles.find('production'))?.profile).toEqual(withKey('p'));
  });

  it('that is removed is unknown', async () => {
    await profiles.save('staging', withKey('s'));
    await profiles.remove('staging');
    expect(await profiles.find('staging')).toBeUndefined();
    await expect(profiles.use('staging')).rejects.toThrow('There is no profile "staging".');
  });

  it('renews its credential from what is stored, not from what was read before', async () => {
    await profiles.save('default', withKey('0'));
    const next = async (stored: Credential): Promise<Credential> => ({
      type: 'key',
      key: String(Number((stored as { key: string }).key) + 1),
    });
    await Promise.all([1, 2, 3].map(() => profiles.renew('default', next)));
    expect((await profiles.find('default'))?.profile.credential).toEqual({ type: 'key', key: '3' });
  });

  it('keeps its old credential if the renewal fails', async () => {
    await profiles.save('default', withKey('a'));
    await expect(profiles.renew('default', () => Promise.reject(new Error('offline')))).rejects.toThrow(
      'offline',
    );
    expect((await profiles.find('default'))?.profile).toEqual(withKey('a'));
  });
});
