import { expect, it } from 'vitest';
import { Secrets } from './secrets.js';

const entry = (id: string, byte: number) => `${id}:${Buffer.alloc(32, byte).toString('base64')}`;
const [old, current] = [entry('2025', 1), entry('2026', 2)];

it('decrypts what it encrypted, and encrypts with a different text each time', () => {
  const secrets = new Secrets([current]);
  const [one, two] = [secrets.encrypt('grüße', 'kid'), secrets.encrypt('grüße', 'kid')];
  expect(one).not.toBe(two);
  expect(one).toMatch(/^2026\./);
  expect(one).not.toContain('grüße');
  expect(secrets.decrypt(one, 'kid')).toBe('grüße');
});

it('refuses text that was changed, truncated, or encrypted for another purpose', () => {
  const secrets = new Secrets([current]);
  const parts = secrets.encrypt('secret', 'kid').split('.');
  const changed = parts.map((part, at) =>
    parts.with(at, `${part.startsWith('A') ? 'C' : 'A'}${part.slice(1)}`).join('.'),
  );
  const cut = parts.with(2, (parts[2] as string).slice(0, 8)).join('.');
  for (const sealed of [...changed.slice(1), cut, '', '2026', parts.slice(0, 3).join('.')]) {
    expect(() => secrets.decrypt(sealed, 'kid')).toThrow();
  }
  expect(() => secrets.decrypt(parts.join('.'), 'another')).toThrow();
});

it('decrypts with every configured key and encrypts with the first', () => {
  const before = new Secrets([old]).encrypt('secret', 'kid');
  const rotated = new Secrets([current, old]);
  expect(rotated.decrypt(before, 'kid')).toBe('secret');
  expect(rotated.encrypt('secret', 'kid')).toMatch(/^2026\./);
  expect(() => new Secrets([current]).decrypt(before, 'kid')).toThrow('2025');
});

it('recognises a hash made with any of its keys', () => {
  const rotated = new Secrets([current, old]);
  expect(rotated.hashes('key')).toEqual([new Secrets([current]).hash('key'), new Secrets([old]).hash('key')]);
  expect(rotated.hash('key')).toBe(rotated.hashes('key')[0]);
  expect(rotated.hash('key')).not.toBe(rotated.hash('kez'));
});

it('derives one key per purpose, from the first master key alone', () => {
  const secrets = new Secrets([current, old]);
  expect(secrets.derive('cursor')).toEqual(new Secrets([current]).derive('cursor'));
  expect(secrets.derive('cursor')).not.toEqual(secrets.derive('other'));
  expect(secrets.derive('cursor')).not.toEqual(new Secrets([old]).derive('cursor'));
  expect(secrets.derive('cursor')).toHaveLength(32);
});

it('recognises hashes made under a removed key by its pepper alone', () => {
  const before = new Secrets([old]);
  const secrets = new Secrets([current]);
  expect(secrets.hashes('key')).not.toContain(before.hash('key'));
  secrets.recognise('2025', before.pepper('2025') as Buffer);
  expect(secrets.hashes('key')).toContain(before.hash('key'));
  expect(secrets.hash('key')).toBe(new Secrets([current]).hash('key'));
  expect(secrets.names).toEqual(['2026']);
});
