import { createHash, hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { BodyDigest, jsonDigest, StreamDigest } from './request-digest.js';

const PATH = '/v1/collections';

function digest(bytes: string, method = 'POST', originalUrl = PATH): BodyDigest {
  return new BodyDigest({ method, originalUrl, body: {}, bodyHash: hash('sha256', bytes, 'hex') });
}

describe('the digest of a body in memory', () => {
  it('differs by bytes, method and URL, also if the URL could continue in the body', () => {
    const digests = [
      digest('{}'),
      digest('{ }'),
      digest('{}', 'PATCH'),
      digest('{}', 'POST', `${PATH}?a=1`),
      digest('{}', 'POST', `${PATH}\n`),
    ];
    expect(new Set(digests.map(({ value }) => value.toString('hex'))).size).toBe(digests.length);
  });

  it('follows a name to another collection', async () => {
    const request: ConstructorParameters<typeof BodyDigest>[0] & { urlById?: string } = {
      method: 'POST',
      originalUrl: `${PATH}/books/data`,
      urlById: `${PATH}/1/data`,
      body: {},
    };
    const followed = new BodyDigest(request);
    const before = followed.value;
    expect(await followed.isOf(before)).toBe(true);
    request.urlById = `${PATH}/2/data`;
    expect(await followed.isOf(before)).toBe(false);
  });
});

describe('the digest that version 1.0.0 stored', () => {
  /** As version 1.0.0 made it. */
  function stored(body: unknown): Buffer {
    const sorted = (_: string, value: unknown) =>
      value !== null && typeof value === 'object' && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
        : value;
    return createHash('sha256')
      .update(`POST ${PATH}\n${JSON.stringify(body, sorted)}`)
      .digest();
  }

  it.each([
    [{ a: { c: [{ y: 1, x: 2 }, []], d: null }, b: {} }],
    [{ 10: 'a', 9: 'b', a: -0, '"': '\u2028\ud800' }],
    [{ records: Array.from({ length: 3_000 }, (_, n) => ({ n, b: true, a: 'é' })) }],
    [[]],
  ])('is that of the same JSON: %#', async body => {
    expect(await jsonDigest('POST', PATH, body)).toEqual(stored(body));
    const request = { method: 'POST', originalUrl: PATH, body };
    expect(await new BodyDigest(request).isOf(stored(body))).toBe(true);
    expect(await new BodyDigest({ ...request, body: [body] }).isOf(stored(body))).toBe(false);
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
