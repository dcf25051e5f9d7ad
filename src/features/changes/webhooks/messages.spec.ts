import { describe, expect, it } from 'vitest';
import { askedDelay, changeMessages, MAX_ATTEMPTS, missedMessage, retryDelay } from './messages.js';

const head = { webhookId: 'w', collectionId: 'c', now: new Date('2026-01-31T09:30:00.250Z') };
const numbers = (length: number) => Array.from({ length }, (_, n) => String(n));
const changesOf = (payload: string) => JSON.parse(payload).data.changes;

describe('messages of changes', () => {
  it('contain at most a hundred changes, in order', () => {
    const messages = changeMessages(head, numbers(250));
    expect(messages.map(({ changes }) => changes)).toEqual([100, 100, 50]);
    expect(messages.flatMap(({ payload }) => changesOf(payload)).map(String)).toEqual(numbers(250));
  });

  it('are limited in length, except for a single longer change', () => {
    const long = JSON.stringify('x'.repeat(200_000));
    const longest = JSON.stringify('y'.repeat(600_000));
    const messages = changeMessages(head, ['1', long, long, longest, '2']);
    expect(messages.map(({ changes }) => changes)).toEqual([2, 1, 1, 1]);
  });

  it('are not made without changes, and state their subject', () => {
    expect(changeMessages(head, [])).toEqual([]);
    expect(JSON.parse(missedMessage(head).payload)).toEqual({
      type: 'collection.changes_missed',
      timestamp: '2026-01-31T09:30:00.250Z',
      data: { webhook_id: 'w', collection_id: 'c' },
    });
  });
});

describe('the delay of a retry', () => {
  it('grows fourfold from 5 s to 12 hours', () => {
    const delays = Array.from({ length: MAX_ATTEMPTS - 1 }, (_, n) => retryDelay(n + 1, 0.5));
    expect(delays).toEqual([5, 20, 80, 320, 1280, 5120, 20480, 43200, 43200]);
  });

  it('varies by up to a fifth at random', () => {
    expect([retryDelay(1, 0), retryDelay(1, 1)]).toEqual([4, 6]);
  });

  it.each([
    [null, 0],
    ['soon', 0],
    ['-5', 0],
    ['120', 120],
    ['99999', 3_600],
    ['Sat, 31 Jan 2026 09:40:00 GMT', 600],
    ['Sat, 31 Jan 2026 09:00:00 GMT', 0],
  ])('is as long as a receiver asks with Retry-After: %s, at most an hour', (text, seconds) => {
    expect(askedDelay(text, new Date('2026-01-31T09:30:00Z'))).toBe(seconds);
  });
});
