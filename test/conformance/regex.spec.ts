import type { Pcre } from '@stephen-riley/pcre2-wasm';
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { translated } from '../../src/filter/regex/parse.js';
import { PlatformError } from '../../src/kernel/errors.js';
import { testDatabaseUrl } from '../app/database.js';

// PCRE2 itself, compiled to WebAssembly, decides what a pattern matches.

const SEED = 20_261_128;
const RUNS = 1_500;
const r = String.raw;

/** Texts in which the constructs below differ. */
const SUBJECTS = [
  ...[
    '',
    '\n',
    'a',
    'a\n',
    'a\n\n',
    '\na',
    'a\nb',
    'b',
    'ab',
    'aab',
    'abc',
    'ABC',
    'a.b',
    'a b',
    'a-b',
    'a_b',
  ],
  ...[
    '1',
    '12',
    '٣',
    'é',
    'É',
    'ς',
    'σ',
    'Σ',
    'ß',
    'ẞ',
    'ss',
    'k',
    'K',
    '\u212a',
    's',
    'ſ',
    'ı',
    'i',
    'I',
    'İ',
    'µ',
    'μ',
  ],
  ...[
    '\t',
    ' ',
    '\u00a0',
    '\u2028',
    '\r\n',
    '\r',
    '\u0085',
    '\v',
    '\b',
    '[',
    ']',
    '^',
    '\\',
    '{',
    '}',
    'x{',
    '$',
    '|',
    '*',
    '𝄞',
    '😀x',
  ],
  ...[
    'foo',
    'mfoo',
    'foo bar',
    'foobar',
    'aa',
    'abab',
    'abba',
    '-',
    'a-',
    'z',
    '_',
    '#',
    'Ǆ',
    'ǆ',
    'ǅ',
    'Θ',
    'ϑ',
    'Straße',
  ],
];

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

/** Patterns that must be translated. */
const TRANSLATED = [
  ...[
    '',
    'a',
    'a$',
    '^a$',
    '^$',
    '$',
    '^',
    r`a\Z`,
    r`a\z`,
    r`\Aa`,
    r`\Ga`,
    r`^\d$`,
    r`^\w$`,
    r`^\s$`,
    r`^\h$`,
    r`^\v$`,
    r`^\D$`,
  ],
  ...[
    r`^\W$`,
    r`^\S$`,
    r`^\H$`,
    r`^\V$`,
    r`^\N$`,
    r`\bfoo\b`,
    r`\Bfoo`,
    '^.$',
    '^.{2}$',
    '^[^a]$',
    '[.]',
    '[]]',
    '[^]]',
    '[a-c]',
    '[-a]',
  ],
  ...[
    '[a-]',
    r`[\d\-]`,
    r`[\]]`,
    r`[\\]`,
    '[[:alpha:]]',
    '[[:^alpha:]]',
    '[^[:space:]]',
    r`[\w.]`,
    r`^[\W]$`,
    r`[\b]`,
    r`^[\x00-\x1f]$`,
  ],
  ...[
    r`[^\0]`,
    r`[\Qa-c\E]`,
    r`\Qa.b\E`,
    r`\Qa.b`,
    r`\Qab\E+`,
    r`a\Eb`,
    r`\x41`,
    r`\x{e9}`,
    r`\xe9`,
    r`\o{141}`,
    r`\0141`,
    r`\N{U+e9}`,
  ],
  ...[
    'a|b',
    '(a|b)+',
    '(?:ab)*c',
    'a|',
    '(|a)b',
    '()',
    'a{2}',
    'a{1,2}b',
    'a{1,}b',
    'x{',
    'a}',
    'a+?b',
    'a*?',
    'a??b',
    'a{1,2}?b',
  ],
  ...[
    '(?=a)',
    '(?!a)',
    '(?<=a)b',
    '(?<!a)b',
    '(?<=a|b)b',
    '(?<=ab|ba)',
    r`(a)\1`,
    r`(a)(b)\2\1`,
    r`(a)\g1`,
    r`(a)\g{1}`,
    r`(?<x>a)\k<x>`,
  ],
  ...[
    r`(?P<x>a)(?P=x)`,
    r`(?'x'a)\k'x'`,
    '(?#note)a',
    'a(?#note)+b',
    '(?i)ab',
    'a(?i)b',
    'a(?i:b)c',
    '(?i)a(?-i)b',
    '(?s).b',
    '(?m)^b$',
  ],
  ...[
    '(?x) a b # note',
    '(?i:Σ)',
    r`\cJ`,
    r`\e`,
    r`\.`,
    r`\-`,
    r`\_`,
    r`\/`,
    r`\{`,
    '^é$',
    '𝄞',
    '[𝄞😀]',
    '^(?:a|b)$',
    'a$|b',
    '(a$)',
    '(^a|b)$',
  ],
  ...[
    '[a-c-e]',
    'foo|(?!m)foo',
    '^[k]$',
    '^[^k]$',
    '^[a-z]$',
    '^[Θ]$',
    '^ß$',
    '^ſ$',
    '^ı$',
    '^i$',
    '^µ$',
    '^ǅ$',
    '[#]',
    '[[:upper:]]',
    '[^[:lower:]]',
    '[a[:upper:]]',
  ],
];

/** Patterns that PCRE2 refuses, or that PostgreSQL could only answer wrongly. */
const REFUSED = [
  ...[
    r`\mfoo`,
    r`\M`,
    r`\y`,
    r`\Y`,
    r`\i`,
    r`\j`,
    r`\q`,
    r`\L`,
    r`\U`,
    r`\u0041`,
    r`\C`,
    r`\X`,
    r`\R`,
    r`\K`,
    r`\pL`,
    r`\p{Greek}`,
  ],
  ...[
    '(',
    ')',
    '[',
    '[a',
    r`[\d-z]`,
    r`[a-\d]`,
    '[z-a]',
    '[[:nope:]]',
    '[[.a.]]',
    '[[=a=]]',
    '[[:<:]]a',
    '*',
    '+a',
    'a**',
    'a{2}{3}',
  ],
  ...[
    'a++',
    'a*+',
    '(?>a)',
    '(?|a)',
    '(?R)',
    '(?1)',
    '(?&x)',
    '(?(1)a)',
    '(?C)',
    '(*FAIL)',
    '(*UCP)a',
    r`a\1`,
    r`\1(a)`,
    r`(a\1)`,
    'a{3,2}',
  ],
  ...[
    'a{1,300}',
    '(?<=a+)b',
    '(?i)(a)\\1',
    '***:a',
    '***=a',
    '(?z)',
    r`a\ `.trimEnd(),
    r`\x{110000}`,
    r`\x{d800}`,
    r`(?=(a))\1`,
    '(?<x>a)(?<x>b)',
    'a{,2}',
  ],
];

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
