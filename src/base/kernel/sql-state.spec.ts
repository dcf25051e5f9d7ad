import { describe, expect, it } from 'vitest';
import { constraintOf, isConnectionLost, isUniqueViolation, sqlState, unavailable } from './sql-state.js';

const fromPg = (code: string) =>
  Object.assign(new Error('x'), { code, severity: 'ERROR', constraint: 'u_1' });

describe('an error of the database', () => {
  it('has its SQLSTATE, directly or wrapped by TypeORM', () => {
    expect(sqlState(fromPg('23505'))).toBe('23505');
    expect(sqlState({ driverError: fromPg('23505') })).toBe('23505');
  });

  it.each([undefined, null, 'x', {}, { code: 7 }, { code: 'ECONNREFUSED' }, new Error('23505')])(
    'is not %j',
    error => {
      expect(sqlState(error)).toBeUndefined();
    },
  );

  it('names its constraint', () => {
    expect(constraintOf({ driverError: fromPg('23505') })).toBe('u_1');
    expect(isUniqueViolation(fromPg('23505'), 'u_1')).toBe(true);
    expect(isUniqueViolation(fromPg('23505'), 'u_2')).toBe(false);
    expect(isUniqueViolation(fromPg('23503'))).toBe(false);
  });

  it.each([
    fromPg('08006'),
    fromPg('53300'),
    fromPg('57P01'),
    fromPg('57P03'),
    fromPg('25006'),
    Object.assign(fromPg('08P01'), { severity: 'FATAL' }),
    Object.assign(new Error('x'), { code: 'ECONNREFUSED' }),
    Object.assign(new Error('x'), { code: 'EAI_AGAIN' }),
    Object.assign(new Error('x'), { code: 'ENETUNREACH' }),
    Object.assign(new Error('x'), { code: 'EPIPE' }),
    { driverError: Object.assign(new Error('x'), { code: 'ECONNRESET' }) },
    new Error('Connection terminated unexpectedly'),
    new Error('timeout exceeded when trying to connect'),
    new Error('Query runner already released. Cannot run queries anymore.'),
  ])('means that the database is away: %j', error => {
    expect(unavailable(error)?.code).toBe('Unavailable');
  });

  it.each([fromPg('23505'), fromPg('42P01'), fromPg('08P01'), new Error('x'), undefined])(
    'does not mean that the database is away: %j',
    error => {
      expect(unavailable(error)).toBeUndefined();
    },
  );

  it('means a lost connection unless the server continues to use it', () => {
    const lost = [
      fromPg('57P01'),
      fromPg('08006'),
      Object.assign(new Error('x'), { code: 'EPIPE' }),
      new Error('Connection terminated unexpectedly'),
      new Error('timeout expired'),
    ];
    const kept = [
      fromPg('57014'),
      fromPg('53100'),
      fromPg('08P01'),
      new Error('timeout exceeded when trying to connect'),
      undefined,
    ];
    expect(lost.map(isConnectionLost)).toEqual(lost.map(() => true));
    expect(kept.map(isConnectionLost)).toEqual(kept.map(() => false));
  });

  it('calls a statement at its time limit by its name, and not an unreachable database', () => {
    expect(unavailable(fromPg('57014'))?.message).toMatch(/DATABASE_STATEMENT_TIMEOUT_MS/);
    expect(unavailable(fromPg('53300'))?.message).toMatch(/cannot be reached/);
  });

  it.each([
    [fromPg('53100'), true],
    [fromPg('57014'), true],
    [Object.assign(new Error('x'), { code: 'ECONNREFUSED' }), true],
    [new Error('timeout exceeded when trying to connect'), true],
    [new Error('timeout expired'), true],
    [new Error('Connection terminated due to connection timeout'), true],
    [fromPg('08006'), false],
    [Object.assign(new Error('x'), { code: 'ECONNRESET' }), false],
    [Object.assign(new Error('x'), { code: 'EPIPE' }), false],
    [new Error('Connection terminated unexpectedly'), false],
  ])('says whether a write certainly did not happen: %j', (error, wroteNothing) => {
    const refused = unavailable(error);
    expect(refused?.wroteNothing).toBe(wroteNothing);
    expect(refused?.message).toMatch(wroteNothing ? /Nothing was written/ : /not known/);
    expect(unavailable(error, true)?.wroteNothing).toBe(true);
  });
});
