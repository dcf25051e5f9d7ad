import { expect, it } from 'vitest';
import { within } from './deadline.js';

const never = new Promise<string>(() => undefined);
const late = () => 'late';

it('is what the work comes to, or fails with, when that is in time', async () => {
  expect(await within(60_000, Promise.resolve('done'), late)).toBe('done');
  await expect(within(60_000, Promise.reject(new Error('failed')), late)).rejects.toThrow('failed');
});

it('is what the late one gets, or is told, when it is not', async () => {
  expect(await within(0, never, late)).toBe('late');
  const refuse = () => {
    throw new Error('too late');
  };
  await expect(within(0, never, refuse)).rejects.toThrow('too late');
});
