import { expect, it } from 'vitest';
import { PlatformError } from '../../base/kernel/errors.js';
import { unavailable } from '../../base/kernel/sql-state.js';
import { queryRefusal, writeRefusal } from './query-refusal.js';

const fromPg = (code: string) => Object.assign(new Error('x'), { code, severity: 'ERROR' });

it('explains a limit of the database: a value too long for a write, a result too large for a read', () => {
  const [read, write] = [queryRefusal(fromPg('54000')), writeRefusal(fromPg('54000'))] as PlatformError[];
  expect([read?.code, write?.code]).toEqual(['InvalidArguments', 'ValueTooLong']);
  expect(read?.message).toMatch(/result is too large/);
  expect(read?.message).not.toMatch(/index|written/);
});

it('says that nothing was written by a read whose connection was lost', () => {
  const lost = new Error('Connection terminated unexpectedly');
  expect(unavailable(queryRefusal(lost))?.wroteNothing).toBe(true);
  expect(unavailable(writeRefusal(lost))?.wroteNothing).toBe(false);
});
