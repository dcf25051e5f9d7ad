import { expect, it } from 'vitest';
import { inSlices } from './slices.js';

/** Blocks the event loop for this time. */
function work(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

it('runs quick steps without a break', () => {
  const taken: number[] = [];
  expect(inSlices(5, index => taken.push(index))).toBeUndefined();
  expect(taken).toEqual([0, 1, 2, 3, 4]);
});

it('lets others run between long steps', async () => {
  const order: (number | string)[] = [];
  setImmediate(() => order.push('other'));
  await inSlices(6, index => {
    order.push(index);
    work(10);
  });
  expect(order.filter(each => each !== 'other')).toEqual([0, 1, 2, 3, 4, 5]);
  expect(order.indexOf('other')).toBeLessThan(4);
});

it('rejects with the error of a later step', async () => {
  const steps = inSlices(9, index => {
    work(10);
    if (index === 7) throw new Error('seven');
  });
  await expect(steps).rejects.toThrow('seven');
});
