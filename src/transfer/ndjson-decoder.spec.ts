import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { NdjsonDecoder } from './ndjson-decoder.js';

function decode(text: string, length = text.length) {
  const decoder = new NdjsonDecoder();
  const sent = [];
  for (let at = 0; at < text.length; at += length)
    sent.push(...decoder.take(text.slice(at, at + length), false));
  return [...sent, ...decoder.take('', true)];
}

describe('lines of JSON', () => {
  const TEXT = '{"a":"x\\ny"}\r\n\n \t\n[1]\n{"b":\n{"c":"é𝄞"}';

  it('are records or are told of, empty ones not counted, however the text is cut', () => {
    const problem = expect.stringMatching(/^is no valid JSON: /);
    for (let length = 1; length <= TEXT.length; length++)
      expect(decode(TEXT, length)).toEqual([
        { row: 1, record: { a: 'x\ny' } },
        { row: 2, record: [1] },
        { row: 3, column: null, problem },
        { row: 4, record: { c: 'é𝄞' } },
      ]);
  });

  it('are not parsed where they hold more values than a record may', () => {
    const parse = vi.spyOn(JSON, 'parse');
    onTestFinished(() => parse.mockRestore());
    const line = `{"a":[${'{},'.repeat(300_000)}1]}`;
    expect(decode(line, 65_536)).toEqual([{ row: 1, column: null, problem: 'more than 250000 values' }]);
    expect(parse).not.toHaveBeenCalled();
  });

  it('may be none', () => {
    expect(decode('')).toEqual([]);
  });

  it('are quoted at most a little', () => {
    expect(JSON.stringify(decode('x'.repeat(100_000))).length).toBeLessThan(400);
  });

  it('are given up beyond 16 MiB, before their end has come', () => {
    const decoder = new NdjsonDecoder();
    const endless = () => {
      for (let pieces = 0; pieces < 17; pieces++) decoder.take('x'.repeat(1024 * 1024), false);
    };
    expect(endless).toThrow('longer than 16 MiB');
  });
});
