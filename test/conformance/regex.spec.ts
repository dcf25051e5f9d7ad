import type { Pcre } from '@stephen-riley/pcre2-wasm';
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PlatformError } from '../../src/base/kernel/errors.js';
import { translated } from '../../src/engine/filter/regex/parse.js';
import { testDatabaseUrl } from '../harness/database.js';
import { TIMES } from '../harness/dice.js';
import { REFUSED, SUBJECTS, TRANSLATED } from './regex-patterns.js';

// PCRE2 itself, compiled to WebAssembly, decides what a pattern matches.

const SEED = 20_261_128;
const RUNS = 300 * TIMES;
const r = String.raw;

let client: pg.Client;
let PCRE: Pcre;

/** The package reads its WebAssembly from the disk only where there is no `fetch`. */
async function loadPcre(): Promise<Pcre> {
  const { fetch } = globalThis;
  Reflect.deleteProperty(globalThis, 'fetch');
  try {
    const { default: module } = await import('@stephen-riley/pcre2-wasm');
    const loaded = 'default' in module ? module.default : module;
    await loaded.init();
    return loaded;
  } finally {
    globalThis.fetch = fetch;
  }
}

beforeAll(async () => {
  PCRE = await loadPcre();
  client = new pg.Client({ connectionString: await testDatabaseUrl() });
  await client.connect();
});
afterAll(() => client.end());

/** The subjects that PCRE2 finds; undefined when it refuses the pattern. */
function byPcre(pattern: string, options: string): string[] | undefined {
  let compiled: InstanceType<Pcre> | undefined;
  try {
    compiled = new PCRE(`(*UTF)${pattern}`, options);
    const compiledPattern = compiled;
    return SUBJECTS.filter(subject => compiledPattern.match(subject) !== null);
  } catch {
    return undefined;
  } finally {
    compiled?.destroy();
  }
}

function translation(pattern: string, options: string): string | undefined {
  try {
    return translated(pattern, options);
  } catch (error) {
    if (error instanceof PlatformError) return undefined;
    throw error;
  }
}

async function byPostgres(pattern: string): Promise<string[]> {
  const { rows } = await client.query(
    'SELECT s FROM unnest($1::text[]) WITH ORDINALITY AS u(s, n) WHERE s COLLATE "C" ~ $2 ORDER BY n',
    [SUBJECTS, pattern],
  );
  return rows.map(({ s }) => s);
}

describe('regular expressions', () => {
  it.each(['', 'i', 'm', 's', 'x', 'imsx'])(
    'match what PCRE2 matches, with the options "%s"',
    async options => {
      const wrong: unknown[] = [];
      for (const pattern of TRANSLATED) {
        const text = translation(pattern, options);
        const expected = byPcre(pattern, options);
        // Options can make a construct impossible, such as a back reference without case.
        if (text === undefined && options.includes('i') && /\\[gk\d]|P=/.test(pattern)) continue;
        const found = text === undefined ? 'refused' : await byPostgres(text);
        if (JSON.stringify(found) !== JSON.stringify(expected))
          wrong.push({ pattern, text, found, expected });
      }
      expect(wrong).toEqual([]);
    },
  );

  it('are refused by name when PCRE2 refuses them or PostgreSQL would answer otherwise', () => {
    expect(REFUSED.filter(pattern => translation(pattern, '') !== undefined)).toEqual([]);
  });

  it('of random parts match what PCRE2 matches, or are refused', async () => {
    const part = fc.constantFrom(
      ...TRANSLATED,
      ...REFUSED,
      '(',
      ')',
      '|',
      '*',
      '?',
      '{2}',
      '[',
      ']',
      '^',
      '$',
      '\\',
      ' ',
    );
    const pattern = fc.array(part, { minLength: 1, maxLength: 4 }).map(parts => parts.join(''));
    const options = fc.constantFrom('', 'i', 'm', 's', 'x', 'im', 'imsx');
    let compared = 0;
    for (const [text, letters] of fc.sample(fc.tuple(pattern, options), { seed: SEED, numRuns: RUNS })) {
      const made = translation(text, letters);
      if (made === undefined) continue;
      compared++;
      expect([text, letters, made, await byPostgres(made)]).toEqual([
        text,
        letters,
        made,
        byPcre(text, letters),
      ]);
    }
    expect(compared).toBeGreaterThan(RUNS / 4);
  });

  it('with an anchored beginning are a range of an index', async () => {
    await client.query('CREATE TEMP TABLE regex_texts (t text COLLATE "C")');
    await client.query("INSERT INTO regex_texts SELECT 'name' || n FROM generate_series(1, 5000) n");
    await client.query('CREATE INDEX ON regex_texts (t)');
    await client.query('ANALYZE regex_texts');
    for (const pattern of ['^name47', '^name4711$', r`\Aname47`, r`^name\d`, r`^\Qname47\E`, '^name47.*z']) {
      const { rows } = await client.query(
        `EXPLAIN SELECT FROM regex_texts WHERE t ~ '${translated(pattern, '')}'`,
      );
      const plan = rows.map(row => row['QUERY PLAN']).join('\n');
      if (pattern !== r`^name\d`)
        expect([pattern, plan]).toEqual([pattern, expect.stringContaining('Index Cond')]);
    }
  });
});
