import { describe, expect, it } from 'vitest';
import { digestOf, StreamDigest } from './request-digest.js';

const digest = (body: unknown, method = 'POST', url = '/v1/collections') =>
  digestOf(method, url, body).value?.toString('hex');

describe('the digest of a request', () => {
  it.each([
    [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ],
    [{ a: { c: [{ y: 1, x: 2 }], d: null } }, { a: { d: null, c: [{ x: 2, y: 1 }] } }],
    [
      { 10: 'a', 9: 'b', a: 1 },
      { a: 1, 9: 'b', 10: 'a' },
    ],
  ])('is the same for %j and %j', (one, other) => {
    expect(digest(one)).toBe(digest(other));
  });

  it.each([
    [{ a: 1 }, { a: '1' }],
    [{ a: null }, {}],
    [{ a: [] }, { a: {} }],
    [{ a: [1, 2] }, { a: [2, 1] }],
    [{ a: '","b":"' }, { a: '', b: '' }],
    [{ a: { b: 1 }, c: 2 }, { a: { b: 1, c: 2 } }],
    [[], {}],
  ])('differs for %j and %j', (one, other) => {
    expect(digest(one)).not.toBe(digest(other));
  });

  it('differs by method and URL, also if their bytes could continue in the body', () => {
    const digests = [
      digest({}),
      digest({}, 'PATCH'),
      digest({}, 'POST', '/v1/collections?a=1'),
      digest({}, 'POST', '/v1/collections\n'),
    ];
    expect(new Set(digests).size).toBe(digests.length);
  });

  it('refuses a body that is nested too deeply, instead of failing', () => {
    let deep: unknown = {};
    for (let level = 0; level < 100_000; level++) deep = [deep];
    expect(() => digest(deep)).toThrow('nested');
  });
});

describe('the digest of a body that is read in pieces', () => {
  async function* pieces(...texts: string[]) {
    for (const text of texts) yield Buffer.from(text);
  }

  /** The text that passes through, and the digest afterwards. */
  async function read(texts: string[], url = '/import') {
    const digest = new StreamDigest('POST', url);
    expect(digest.value).toBeUndefined();
    const came: string[] = [];
    for await (const piece of digest.through(pieces(...texts))) {
      came.push(piece.toString());
      expect(digest.value).toBeUndefined();
    }
    expect(came).toEqual(texts);
    return digest.value?.toString('hex');
  }

  it('is the digest of its bytes, however they were split', async () => {
    expect(await read(['a,b', '\n1,2'])).toBe(await read(['a', ',b\n1', ',2']));
    expect(await read(['a,b\n1,2'])).not.toBe(await read(['b,a\n2,1']));
    expect(await read(['a'])).not.toBe(await read(['a'], '/import?mode=upsert'));
  });
});
