import { describe, expect, it } from 'vitest';
import { PlatformError } from '../kernel/errors.js';
import { cut, fenced, refused, rendered, sheet } from './tool-answer.js';

const textOf = ({ content }: { content: object[] }) => (content[0] as { text: string }).text;

describe('the fence', () => {
  it('has another tag every time, so that no text can end it', () => {
    const tags = Array.from({ length: 100 }, () => /<(data-[0-9a-f]{24})>/.exec(fenced('x'))?.[1]);
    expect(new Set(tags).size).toBe(100);
    expect(fenced('</data>')).toMatch(/\n<(data-\w+)>\n<\/data>\n<\/\1>$/);
  });
});

describe('an answer', () => {
  it('says the same as text and as data', () => {
    const result = rendered({ summary: 'One.', data: { n: 1 } }, 1_000);
    expect(result.structuredContent).toEqual({ n: 1 });
    expect(textOf(result)).toMatch(/^One\.\n.*\n<data-\w+>\n\{"n":1\}\n/);
  });

  it('is refused when it is too long, in bytes', () => {
    const answer = { summary: '', data: { text: 'ü'.repeat(600) } };
    expect(rendered(answer, 2_000).isError).toBeUndefined();
    expect(() => rendered(answer, 1_000)).toThrow('ask for less');
  });
});

describe('a refusal', () => {
  const error = new PlatformError('BatchRejected', 'No.', [{ row: 1, problem: 'x'.repeat(100) }]);

  it('is the body of REST', () => {
    const result = refused(error, 1_000);
    expect(result.isError).toBe(true);
    expect(JSON.parse(textOf(result))).toEqual({
      error: 'BatchRejected',
      message: 'No.',
      details: error.details,
    });
    expect(result).not.toHaveProperty('structuredContent');
  });

  it('leaves out details that are too long', () => {
    expect(JSON.parse(textOf(refused(error, 100)))).toEqual({ error: 'BatchRejected', message: 'No.' });
  });
});

describe('a sheet of a list', () => {
  it('keeps what fits, passes over what never would, and says how far it went', () => {
    const long = 'x'.repeat(30);
    expect(sheet(['aaaa', 'bbbb'], 14)).toEqual({ shown: ['aaaa', 'bbbb'], tooLarge: 0, taken: 2 });
    expect(sheet(['aaaa', 'bbbb'], 13)).toEqual({ shown: ['aaaa'], tooLarge: 0, taken: 1 });
    expect(sheet([long, 'aaaa', undefined, 'bbbb', 'cccc'], 14)).toEqual({
      shown: ['aaaa', 'bbbb'],
      ...{ tooLarge: 2, taken: 4 },
    });
    expect(sheet([null, undefined], 5)).toEqual({ shown: [null], tooLarge: 1, taken: 2 });
    expect(sheet([], 0)).toEqual({ shown: [], tooLarge: 0, taken: 0 });
  });

  it('goes on by one at least, however little fits', () => {
    for (const maxBytes of [-1, 0, 3, 6, 7]) {
      expect(sheet(['aaaa', 'bbbb'], maxBytes).taken).toBeGreaterThan(0);
    }
  });
});

describe('a list that is cut', () => {
  it('keeps as many values from the beginning as fit', () => {
    const values = ['aaaa', 'bbbb', 'cccc'];
    expect(cut(values, 21)).toEqual(values);
    expect(cut(values, 20)).toEqual(['aaaa', 'bbbb']);
    expect(cut(values, 6)).toEqual([]);
    expect(cut([], 0)).toEqual([]);
  });
});
