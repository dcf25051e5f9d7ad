import { afterEach, describe, expect, it, vi } from 'vitest';
import { jsonLines, LineBuffer } from './lines.js';

afterEach(() => void vi.restoreAllMocks());

async function* bytes(...pieces: string[]) {
  for (const piece of pieces) yield new TextEncoder().encode(piece);
}

describe('lines that arrive in pieces', () => {
  it('are complete, whatever the pieces', () => {
    const text = 'one\n\ntwo\nthree';
    for (let cut = 0; cut <= text.length; cut += 1) {
      const lines = new LineBuffer('\n');
      const found = [...lines.push(text.slice(0, cut)), ...lines.push(text.slice(cut))];
      expect([...found, lines.remainder()], String(cut)).toEqual(['one', '', 'two', 'three']);
    }
  });

  it('are values of JSON, the last one also without a line end', async () => {
    const values: unknown[] = [];
    for await (const value of jsonLines(bytes('{"a":', '1}\n\n', '{"b":2}'))) values.push(value);
    expect(values).toEqual([{ a: 1 }, { b: 2 }]);
  });

  it('are searched once, however long a line is', () => {
    let searched = 0;
    const split = String.prototype.split;
    vi.spyOn(String.prototype, 'split').mockImplementation(function (this: string, ...args: unknown[]) {
      searched += this.length;
      return Reflect.apply(split, this, args);
    } as never);
    const lines = new LineBuffer('\n');
    for (let n = 0; n < 1_000; n += 1) expect([...lines.push('x'.repeat(100))]).toEqual([]);
    expect([...lines.push('\n')]).toEqual(['x'.repeat(100_000)]);
    expect(searched).toBe(100_001);
  });
});
