import { invalid } from '../../../base/kernel/errors.js';
import { param, type Sql, sql } from '../../../base/sql/index.js';
import { someValue } from '../scope.js';
import { type BitState, node, type Test } from '../tree.js';
import type { OperatorParser, TestCompilers } from './operator.js';

/** Bits from 63 on all equal the sign (two's complement). */
const SIGN_BIT = 63;

/** MongoDB's manual, "Bitwise Query Operators". */
export const bitwiseParsers = {
  $bitsAllSet: operand => bits('allSet', operand, '$bitsAllSet'),
  $bitsAnySet: operand => bits('anySet', operand, '$bitsAnySet'),
  $bitsAllClear: operand => bits('allClear', operand, '$bitsAllClear'),
  $bitsAnyClear: operand => bits('anyClear', operand, '$bitsAnyClear'),
} as const satisfies Record<string, OperatorParser>;

function bits(state: BitState, operand: unknown, operator: string): Test {
  const mask = Array.isArray(operand) ? maskOfPositions(operand) : maskOfNumber(operand);
  if (mask === undefined)
    throw invalid(`${operator} needs a mask (an integer from 0) or an array of bit positions`);
  return node({ kind: 'bits', mask: BigInt.asIntN(64, mask).toString(), state });
}

function maskOfNumber(operand: unknown): bigint | undefined {
  return isNatural(operand) ? BigInt(operand) : undefined;
}

function maskOfPositions(positions: readonly unknown[]): bigint | undefined {
  if (!positions.every(isNatural)) return undefined;
  return positions.reduce<bigint>((mask, bit) => mask | (1n << BigInt(Math.min(bit, SIGN_BIT))), 0n);
}

function isNatural(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

const CONDITIONS: Readonly<Record<BitState, (bits: Sql, mask: Sql) => Sql>> = {
  allSet: (bits, mask) => sql`${bits} & ${mask} = ${mask}`,
  anySet: (bits, mask) => sql`${bits} & ${mask} <> 0`,
  allClear: (bits, mask) => sql`${bits} & ${mask} = 0`,
  anyClear: (bits, mask) => sql`${bits} & ${mask} <> ${mask}`,
};

export const bitwiseTests: Pick<TestCompilers, 'bits'> = {
  // The manual: numbers that no signed 64-bit integer can represent match no bitwise query.
  bits: ({ mask, state }, location, scope) => {
    const wanted = param(mask, 'bigint');
    return someValue(location, scope, { elements: true }, value => {
      const number = sql`(${value})::numeric`;
      return sql`CASE WHEN jsonb_typeof(${value}) <> 'number' THEN FALSE WHEN ${number} % 1 = 0 AND ${number} BETWEEN -9223372036854775808 AND 9223372036854775807 THEN ${CONDITIONS[state](sql`${number}::bigint`, wanted)} ELSE FALSE END`;
    });
  },
};
