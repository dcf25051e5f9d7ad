import { expect, it } from 'vitest';
import { Secrets } from './secrets.js';

const entry = (id: string, byte: number) => `${id}:${Buffer.alloc(32, byte).toString('base64')}`;
const [old, current] = [entry('2025', 1), entry('2026', 2)];

it('gives back what it encrypted, with another text each time', () => {
  const secrets = new Secrets([current]);
  const [one, two] = [secrets.encrypt('grüße', 'kid'), secrets.encrypt('grüße', 'kid')];
  expect(one).not.toBe(two);
  expect(one).toMatch(/^2026\./);
  expect(one).not.toContain('grüße');
  expect(secrets.decrypt(one, 'kid')).toBe('grüße');
});

it('refuses what was changed, cut, or encrypted for something else', () => {
  const secrets = new Secrets([current]);
  const parts = secrets.encrypt('secret', 'kid').split('.');
  const changed = parts.map((part, at) => parts.with(at, `A${part.slice(1)}B`).join('.'));
  const cut = parts.with(2, (parts[2] as string).slice(0, 8)).join('.');
  for (const sealed of [...changed.slice(1), cut, '', '2026', parts.slice(0, 3).join('.')]) {
    expect(() => secrets.decrypt(sealed, 'kid')).toThrow();
  }
  expect(() => secrets.decrypt(parts.join('.'), 'another')).toThrow();
});

it('reads with every key that it has and writes with the first', () => {
  const before = new Secrets([old]).encrypt('secret', 'kid');
  const rotated = new Secrets([current, old]);
  expect(rotated.decrypt(before, 'kid')).toBe('secret');
  expect(rotated.encrypt('secret', 'kid')).toMatch(/^2026\./);
  expect(() => new Secrets([current]).decrypt(before, 'kid')).toThrow('2025');
});

it('recognises a hash that any of its keys made', () => {
  const rotated = new Secrets([current, old]);
  expect(rotated.hashes('key')).toEqual([new Secrets([current]).hash('key'), new Secrets([old]).hash('key')]);
  expect(rotated.hash('key')).toBe(rotated.hashes('key')[0]);
  expect(rotated.hash('key')).not.toBe(rotated.hash('kez'));
});

it('derives one key for each purpose, from the first master key alone', () => {
  const secrets = new Secrets([current, old]);
  expect(secrets.derive('cursor')).toEqual(new Secrets([current]).derive('cursor'));
  expect(secrets.derive('cursor')).not.toEqual(secrets.derive('other'));
  expect(secrets.derive('cursor')).not.toEqual(new Secrets([old]).derive('cursor'));
  expect(secrets.derive('cursor')).toHaveLength(32);
});

it('recognises what was hashed under a key that is gone, by its pepper alone', () => {
  const before = new Secrets([old]);
  const secrets = new Secrets([current]);
  expect(secrets.hashes('key')).not.toContain(before.hash('key'));
  secrets.recognise('2025', before.pepper('2025') as Buffer);
  expect(secrets.hashes('key')).toContain(before.hash('key'));
  expect(secrets.hash('key')).toBe(new Secrets([current]).hash('key'));
  expect(secrets.names).toEqual(['2026']);
});
