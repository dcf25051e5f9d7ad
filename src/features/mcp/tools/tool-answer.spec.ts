import { describe, expect, it } from 'vitest';
import { PlatformError } from '../../../base/kernel/errors.js';
import { callToolResult, resultJson } from '../protocol/tool-result.js';
import {
  beginningOf,
  fitting,
  refused,
  rendered,
  shownRecords,
  taggedAsData,
  withTexts,
} from './tool-answer.js';

describe('tool answer', () => {
  describe('the tags around data', () => {
    it('are new every time, so that no text can contain the closing tag', () => {
      const tags = Array.from({ length: 100 }, () => /<(data-[0-9a-f]{24})>/.exec(taggedAsData('x'))?.[1]);
      expect(new Set(tags).size).toBe(100);
      expect(taggedAsData('</data>')).toMatch(/\n<(data-\w+)>\n<\/data>\n<\/\1>$/);
    });
  });

  describe('an answer', () => {
    it('has the same content as text and as data', () => {
      const { text, data } = rendered({ summary: 'One.', data: { n: 1 } }, 1_000);
      expect(data).toBe('{"n":1}');
      expect(text).toMatch(/^One\.\n.*\n<data-\w+>\n\{"n":1\}\n/);
    });

    it('of records is their own JSON texts, after the other members', () => {
      const { data } = rendered(
        { summary: '', data: withTexts({ count: 2 }, 'records', ['{"a":1.0}', '{}']) },
        1_000,
      );
      expect(data).toBe('{"count":2,"records":[{"a":1.0},{}]}');
      expect(withTexts({}, 'records', []).text).toBe('{"records":[]}');
    });

    it('is the same for clients that the SDK serves and for those that it does not', () => {
      const results = [
        rendered({ summary: 'Ä "1"\n', data: { text: '\u2028"' } }, 1_000),
        refused(new PlatformError('InvalidArguments', 'No.'), 1_000),
      ];
      for (const result of results) {
        const more = { resultType: 'complete' };
        expect(JSON.parse(resultJson(result, more))).toEqual({ ...callToolResult(result), ...more });
        expect(JSON.parse(resultJson(result, {}))).toEqual(callToolResult(result));
      }
    });

    it('is refused if it has too many bytes', () => {
      const answer = { summary: '', data: { text: 'ü'.repeat(600) } };
      expect(rendered(answer, 2_000).data).toBe(JSON.stringify(answer.data));
      expect(() => rendered(answer, 1_000)).toThrow('ask for less');
    });
  });

  describe('a refusal', () => {
    const error = new PlatformError('BatchRejected', 'No.', [{ row: 1, problem: 'x'.repeat(100) }]);

    it('is the error body of REST', () => {
      const result = refused(error, 1_000);
      expect(callToolResult(result).isError).toBe(true);
      expect(JSON.parse(result.text)).toEqual({
        error: 'BatchRejected',
        message: 'No.',
        details: error.details,
      });
      expect(callToolResult(result)).not.toHaveProperty('structuredContent');
    });

    it('leaves out details that are too long', () => {
      expect(JSON.parse(refused(error, 100).text)).toEqual({ error: 'BatchRejected', message: 'No.' });
    });
  });

  describe('the part of a list that fits', () => {
    it('keeps the entries that fit, skips those that never would, and returns the next offset', () => {
      const long = 'x'.repeat(30);
      expect(fitting(['aaaa', 'bbbb'], 14)).toEqual({ shown: ['aaaa', 'bbbb'], tooLarge: 0, taken: 2 });
      expect(fitting(['aaaa', 'bbbb'], 13)).toEqual({ shown: ['aaaa'], tooLarge: 0, taken: 1 });
      expect(fitting([long, 'aaaa', undefined, 'bbbb', 'cccc'], 14)).toEqual({
        shown: ['aaaa', 'bbbb'],
        tooLarge: 2,
        taken: 4,
      });
      expect(fitting([null, undefined], 5)).toEqual({ shown: [null], tooLarge: 1, taken: 2 });
      expect(fitting([], 0)).toEqual({ shown: [], tooLarge: 0, taken: 0 });
    });

    it('advances by at least one entry, however little fits', () => {
      for (const maxBytes of [-1, 0, 3, 6, 7]) {
        expect(fitting(['aaaa', 'bbbb'], maxBytes).taken).toBeGreaterThan(0);
      }
    });
  });

  describe('the beginning of a list', () => {
    it('keeps as many values from the beginning as fit', () => {
      const values = ['aaaa', 'bbbb', 'cccc'];
      expect(beginningOf(values, 21)).toEqual(values);
      expect(beginningOf(values, 20)).toEqual(['aaaa', 'bbbb']);
      expect(beginningOf(values, 6)).toEqual([]);
      expect(beginningOf([], 0)).toEqual([]);
    });
  });
});

describe('shown records', () => {
  it('shows only the system fields of a record that is too large, and lists its id', () => {
    const [small, large] = [
      { _id: 'a', created_at: '1', updated_at: '2', title: 'x' },
      { _id: 'b', created_at: '1', updated_at: '2', title: 'x'.repeat(100) },
    ];
    const texts = [small, large].map(record => JSON.stringify(record));
    expect(shownRecords(texts, 100)).toEqual({
      texts: [texts[0], JSON.stringify({ _id: 'b', created_at: '1', updated_at: '2' })],
      tooLarge: ['b'],
    });
    expect(shownRecords(texts, 1_000)).toEqual({ texts, tooLarge: [] });
  });
});
