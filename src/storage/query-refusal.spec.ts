import { expect, it } from 'vitest';
import { PlatformError } from '../kernel/errors.js';
import { unavailable } from '../kernel/sql-state.js';
import { queryRefusal, writeRefusal } from './query-refusal.js';

const fromPg = (code: string) => Object.assign(new Error('x'), { code, severity: 'ERROR' });

it('says of a limit of the database what it means: a long value to a write, a large answer to a read', () => {
  const [read, write] = [queryRefusal(fromPg('54000')), writeRefusal(fromPg('54000'))] as PlatformError[];
  expect([read?.code, write?.code]).toEqual(['InvalidArguments', 'ValueTooLong']);
  expect(read?.message).toMatch(/result is too large/);
  expect(read?.message).not.toMatch(/index|written/);
});

it('knows that nothing was written by a read whose connection was lost', () => {
  const lost = new Error('Connection terminated unexpectedly');
  expect(unavailable(queryRefusal(lost))?.wroteNothing).toBe(true);
  expect(unavailable(writeRefusal(lost))?.wroteNothing).toBe(false);
});
