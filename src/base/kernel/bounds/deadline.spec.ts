import { expect, it } from 'vitest';
import { within } from './deadline.js';

const never = new Promise<string>(() => undefined);
const late = () => 'late';

it('has the result or the error of work that ends in time', async () => {
  expect(await within(60_000, Promise.resolve('done'), late)).toBe('done');
  await expect(within(60_000, Promise.reject(new Error('failed')), late)).rejects.toThrow('failed');
});

it('has the fallback or the error for work that does not end in time', async () => {
  expect(await within(0, never, late)).toBe('late');
  const refuse = () => {
    throw new Error('too late');
  };
  await expect(within(0, never, refuse)).rejects.toThrow('too late');
});
