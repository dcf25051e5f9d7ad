import { describe, expect, it } from 'vitest';
import { identifier, literal, param, render, sql } from '../../../base/sql/index.js';
import { statementOnNode, valuesOnNode } from './statement-on-node.js';

const ORG = `org_${'0'.repeat(32)}`;
const NAMES = new Map([
  [`${ORG}.fences`, `${ORG}.fences_102008`],
  ['public.collections', `${ORG}.fences_102008`],
  ['pg_temp.put_back', 'public.put_back_7'],
]);

describe('statementOnNode', () => {
  const onNode = (text: string) => statementOnNode(text, NAMES);

  it('takes parameters from the array, also those with two digits and those used twice', () => {
    expect(onNode('SELECT $1::uuid, $10::text[], $2::date, $1::uuid')).toBe(
      'SELECT $1[1]::uuid, $1[10]::text[], $1[2]::date, $1[1]::uuid',
    );
  });

  it('replaces the names of tables', () => {
    expect(
      onNode(`SELECT FROM ${ORG}.fences f, public.collections c, pg_temp.put_back p, public.uuidv7()`),
    ).toBe(
      `SELECT FROM ${ORG}.fences_102008 f, ${ORG}.fences_102008 c, public.put_back_7 p, public.uuidv7()`,
    );
  });

  it('refuses a table of an organization that was not named, because that would leave the node', () => {
    expect(() => onNode(`DELETE FROM ${ORG}.record_quotas`)).toThrow(/record_quotas/);
  });

  it.each([
    'a $1 and pg_temp.put_back',
    "it's $1",
    "'",
    '\\',
    "\\' $1 --",
    "\\\\'' pg_temp.put_back",
    'line\n$1 \\\n$2',
    '/* $1',
    '-- $1',
    '"$1',
    '$$ $1 $$',
  ])('leaves the literal and the name %j as they are, and finds what follows', text => {
    const { text: written } = render(
      sql`SELECT ${literal(text)}, ${identifier(text)}, ${param(1, 'integer')} FROM pg_temp.put_back`,
    );
    const constant = render(sql`SELECT ${literal(text)}, ${identifier(text)}, `).text;
    expect(onNode(written)).toBe(`${constant}$1[1]::integer FROM public.put_back_7`);
  });

  it.each(["/* it's $1 */", "-- it's $1\n", '/* pg_temp.put_back\n */'])(
    'leaves the comment %j as it is',
    comment => {
      expect(onNode(`${comment} SELECT $1`)).toBe(`${comment} SELECT $1[1]`);
    },
  );
});

describe('valuesOnNode', () => {
  it.each<[string, unknown, string | null]>([
    ['text', null, null],
    ['text', undefined, null],
    ['text', 'it\'s \\ "$1" \0', 'it\'s \\ "$1" \0'],
    ['text', '', ''],
    ['double precision', NaN, 'NaN'],
    ['double precision', -Infinity, '-Infinity'],
    ['double precision', -0.1, '-0.1'],
    ['double precision', 1e21, '1e+21'],
    ['bigint', 9_007_199_254_740_993n, '9007199254740993'],
    ['boolean', true, 'true'],
    ['timestamptz', new Date('2026-01-31T09:30:00.250Z'), '2026-01-31T09:30:00.250Z'],
    ['bytea', Buffer.from([0, 255, 92]), '\\x00ff5c'],
    ['jsonb', { a: ['\\', "'"] }, '{"a":["\\\\","\'"]}'],
    ['text[]', [], '{}'],
    ['text[]', ['a,b', '{}', '"', '\\', "'", '', 'NULL'], '{"a,b","{}","\\"","\\\\","\'","","NULL"}'],
    ['text[]', ['a', null, undefined], '{"a",NULL,NULL}'],
    ['double precision[]', [1, NaN, 2n], '{"1","NaN","2"}'],
    ['bytea[]', [Buffer.from([1])], '{"\\\\x01"}'],
    ['timestamptz[]', [new Date(0)], '{"1970-01-01T00:00:00.000Z"}'],
  ])('writes a value as PostgreSQL reads the type %s', (_, value, text) => {
    expect(valuesOnNode([value])).toEqual([text]);
  });
});
