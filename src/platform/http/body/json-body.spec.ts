import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TIMES } from '../../../../test/harness/dice.js';
import { parseJson } from './json-body.js';

const parse = (text: string) => parseJson(Buffer.from(text));
/** Parses text as a large body, in pieces of a few bytes. */
const parseInPieces = async (text: string, pieceBytes = 8) =>
  parseJson(Buffer.from(text), { atOnceBytes: 0, atOnceValues: 0, pieceBytes });

describe('the text of a body', () => {
  it.each([
    ['', {}],
    ['{}', {}],
    ['[1,"x",null]', [1, 'x', null]],
    ['{"a":"__proto"}', { a: '__proto' }],
    ['{"a":"\\u0070\\u005f"}', { a: 'p_' }],
  ])('%j is %j', (text, value) => {
    expect(parse(text)).toEqual(value);
  });

  it.each([
    '{"__proto__":1}',
    '{"a":[{"__proto__":{}}]}',
    '{"\\u005f_proto__":1}',
    '{"__pr\\u006Fto__":1}',
    '{"__pro\\u0074o__":1}',
    '{"\\u005F\\u005f\\u0070\\u0072\\u006f\\u0074\\u006f\\u005f\\u005f":1}',
    '{"__proto__":["a large list","of texts"]}',
  ])('%j is refused for its field name', async text => {
    expect(() => parse(text)).toThrow('__proto__');
    await expect(parseInPieces(text)).rejects.toThrow('__proto__');
  });

  it('may have __proto__ as a value', () => {
    expect(parse('{"a":"__proto__"}')).toEqual({ a: '__proto__' });
  });

  it.each(['{', '{}x', "{'a':1}", 'undefined', 'NaN', '\u0000'])('%j is not JSON', text => {
    expect(() => parse(text)).toThrow('not valid JSON');
  });

  it('may have as many lists and objects as there is memory for; brackets in strings do not count', () => {
    const limited = (text: string) => parseJson(Buffer.from(text), undefined, 3);
    expect(limited('{"[{[{":[1,{"a":"[[[["}]}')).toEqual({ '[{[{': [1, { a: '[[[[' }] });
    expect(() => limited('[[],{},[]]')).toThrow(expect.objectContaining({ code: 'PayloadTooLarge' }));
  });

  it('keeps every character, also in long texts', async () => {
    const characters = ['é', 'ł', '€', '😀', '\u0000', '\ufeff', '\u2028'];
    for (const length of [1, 5_000]) {
      const value = characters.map(character => ({ [character]: character.repeat(length) }));
      const text = JSON.stringify(value);
      expect(parse(text)).toEqual(value);
      expect(await parseInPieces(text)).toEqual(value);
    }
  });

  it('is refused when it is not UTF-8', () => {
    expect(() => parseJson(Buffer.from([0x22, 0xff, 0x22]))).toThrow('UTF-8');
  });

  it('is quoted only in part in the error', () => {
    expect(() => parse(`[${'x'.repeat(100_000)}`)).toThrow(/^.{1,300}$/s);
  });

  it('has at most 250 levels, counted outside of strings', () => {
    const nested = (levels: number) => `${'[{"a":'.repeat(levels / 2)}1${'}]'.repeat(levels / 2)}`;
    expect(parse(nested(250))).toBeDefined();
    expect(() => parse(nested(252))).toThrow('more than 250 levels');
    expect(() => parse('['.repeat(10_000_000))).toThrow('more than 250 levels');
    expect(parse(`["${'['.repeat(1_000)}","\\"${'{'.repeat(1_000)}"]`)).toHaveLength(2);
  });
});

it('an object has at most 50,000 members, a list as many elements as fit', async () => {
  const members = (count: number) => Array.from({ length: count }, (_, index) => `"k${index}":0`).join(',');
  expect(Object.keys((await parse(`{${members(50_000)}}`)) as object)).toHaveLength(50_000);
  expect(() => parse(`{${members(50_001)}}`)).toThrow('more than 50000 members');
  expect(() => parse(`[{"a":{${members(50_001)}}}]`)).toThrow('more than 50000 members');
  expect(parse(`[${'0,'.repeat(60_000)}0]`)).toHaveLength(60_001);
});

describe('a body that is parsed in pieces', () => {
  it('has the same result as JSON.parse, member by member in the same order', async () => {
    const written = fc.tuple(fc.json({ maxDepth: 6 }), fc.constantFrom(undefined, 1, '\t'));
    await fc.assert(
      fc.asyncProperty(written, fc.integer({ min: 1, max: 40 }), async ([json, space], pieceBytes) => {
        fc.pre(!json.includes('__proto__'));
        const text = JSON.stringify(JSON.parse(json), null, space);
        const parsed = await parseInPieces(text, pieceBytes);
        expect(JSON.stringify(parsed)).toBe(JSON.stringify(JSON.parse(text)));
      }),
      { numRuns: 400 * TIMES },
    );
  });

  it('is refused exactly where JSON.parse refuses it', async () => {
    const damage = fc.tuple(
      fc.nat(),
      fc.constantFrom('', ',', ']', '}', '[', '{', ':', '"', '\\', '1', ' null', '.5'),
    );
    await fc.assert(
      fc.asyncProperty(fc.json({ maxDepth: 5 }), damage, fc.nat(20), async (json, [at, by], pieceBytes) => {
        const place = at % json.length;
        const text = json.slice(0, place) + by + json.slice(place + (by === '' ? 1 : 0));
        fc.pre(text !== '' && !text.includes('__proto__'));
        let expected: string | undefined;
        try {
          expected = JSON.stringify(JSON.parse(text));
        } catch {}
        const parsed = parseInPieces(text, pieceBytes + 1);
        if (expected === undefined) await expect(parsed).rejects.toThrow('not valid JSON');
        else expect(JSON.stringify(await parsed)).toBe(expected);
      }),
      { numRuns: 600 * TIMES },
    );
  });

  it('keeps the last of several members with the same name', async () => {
    const text = '{"a":[1,2,3,4,5,6],"b":1,"a":2,"c":{"d":"eeeeeeeee"},"b":[7,8,9,10,11,12]}';
    expect(await parseInPieces(text)).toEqual(JSON.parse(text));
  });

  it('lets other work run in between', async () => {
    const text = `{"records":[${Array.from({ length: 200_000 }, (_, row) => `{"k${row}":${row}}`).join(',')}]}`;
    let turns = 0;
    const counting = setInterval(() => turns++, 0);
    const parsed = (await parseJson(Buffer.from(text))) as { records: object[] };
    clearInterval(counting);
    expect(parsed.records).toHaveLength(200_000);
    expect(turns).toBeGreaterThan(5);
  });

  it('has many bytes or many values', () => {
    const records = (count: number, text: string) => Buffer.from(JSON.stringify(Array(count).fill({ text })));
    expect(parseJson(records(20_000, 'x'))).toHaveLength(20_000);
    expect(parseJson(records(100, 'x'.repeat(10_000)))).toHaveLength(100);
    expect(parseJson(records(30_000, 'x'))).toBeInstanceOf(Promise);
    expect(parseJson(records(300, 'x'.repeat(10_000)))).toBeInstanceOf(Promise);
  });
});
