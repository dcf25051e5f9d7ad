import { expect, it } from 'vitest';
import { SharedQuestion } from './shared-question.js';

/** Queries that the test answers by hand. */
function questions() {
  const asked: { resolve(answer: number): void; reject(reason: Error): void }[] = [];
  const question = new SharedQuestion(
    () => new Promise<number>((resolve, reject) => void asked.push({ resolve, reject })),
  );
  return { asked, question };
}
const turn = () => new Promise(resolve => setImmediate(resolve));

it('runs once for concurrent callers, and again for callers who come while it runs', async () => {
  const { asked, question } = questions();
  const together = [question.ask(), question.ask()];
  await turn();
  expect(asked).toHaveLength(1);
  const later = [question.ask(), question.ask()];
  await turn();
  expect(asked).toHaveLength(1);
  asked[0]?.resolve(1);
  expect(await Promise.all(together)).toEqual([1, 1]);
  await turn();
  expect(asked).toHaveLength(2);
  asked[1]?.resolve(2);
  expect(await Promise.all(later)).toEqual([2, 2]);
});

it('fails for the callers that share it, and runs again for the next', async () => {
  const { asked, question } = questions();
  const failing = question.ask();
  await turn();
  asked[0]?.reject(new Error('away'));
  await expect(failing).rejects.toThrow('away');
  const next = question.ask();
  await turn();
  asked[1]?.resolve(2);
  expect(await next).toBe(2);
});
