import { expect, it } from 'vitest';
import { SystemClock } from '../../../base/kernel/clock.js';
import { KeptDocuments } from './published-documents.js';

it('caches a thousand documents and drops those that were loaded first', async () => {
  const loaded: string[] = [];
  const documents = new KeptDocuments<string>(new SystemClock(), () => {});
  const get = (key: string) =>
    documents.get(key, async () => {
      loaded.push(key);
      return key;
    });
  for (let n = 0; n <= 1000; n += 1) await get(`${n}`);
  loaded.length = 0;
  for (const key of ['1', '1000', '0']) expect(await get(key)).toBe(key);
  expect(loaded).toEqual(['0']);
});

it('rejects all callers that wait for a failed request, and retries for the next caller', async () => {
  const failures: string[] = [];
  const documents = new KeptDocuments<string>(new SystemClock(), ({ message }) => failures.push(message));
  const down = async (): Promise<string> => {
    throw new Error('down');
  };
  const waiting = [documents.get('a', down), documents.get('a', down)];
  for (const each of waiting) await expect(each).rejects.toThrow('down');
  expect(failures).toEqual(['down']);
  expect(await documents.get('a', async () => 'up')).toBe('up');
});
