import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';

/** The rules of scripts/lint, which biome.json applies to src: what they refuse, and what they leave alone. */
const RULES = {
  'bounded-maps': {
    refused: [
      'class A { private readonly known = new Map<string, number>(); }',
      'class A { known: Set<string> = new Set(); }',
      'class A { known = { byName: new Map() }; }',
      'class A { known; constructor() { this.known = new Map(); } }',
      'class A { known; add() { this.known ??= new Map(); } }',
      'const known =\n  new Map<string, number>();',
      'export let known = new Set;',
    ],
    allowed: [
      'function f() { const known = new Map(); return known.size; }',
      'class A { f() { return new Set<string>(); } }',
      "const KNOWN = new Set(['a', 'b']);",
      'const known = new WeakMap<object, string>();',
      'class A { known = new BoundedMap<string, number>(MAX); }',
      'class A {\n  // biome-ignore lint/plugin/bounded-maps: requests in progress\n  known = new Map();\n}',
    ],
  },
  'no-object-getters': {
    refused: ['const a = { get b() { return 1; } };', 'const a = () => ({ set b(value: number) {} });'],
    allowed: ['class A { get b() { return 1; } }', 'const a = { get: () => 1 };'],
  },
  'one-transaction-class': {
    refused: [
      "await client.query('BEGIN');",
      'await this.session.query(`BEGIN ISOLATION LEVEL SERIALIZABLE`);',
      'await session.query(BEGIN_SNAPSHOT);',
      'await runner.startTransaction();',
      'await source.transaction(async manager => manager.save(entity));',
    ],
    allowed: ["await client.query('SELECT 1');", 'await transactions.run(options, work);'],
  },
} as const;

/** The lines of a file for each sample that a rule refuses. */
function refusedBy(rule: string, samples: readonly string[]): boolean[] {
  const folder = mkdtempSync(join(tmpdir(), 'lint-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const configuration = {
    root: true,
    linter: { rules: { preset: 'none' } },
    plugins: [resolve(`scripts/lint/${rule}.grit`)],
  };
  writeFileSync(join(folder, 'biome.json'), JSON.stringify(configuration));
  const files = samples.map((sample, at) => [`sample-${at}.ts`, `${sample}\n`] as const);
  for (const [name, text] of files) writeFileSync(join(folder, name), text);
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [
      resolve('node_modules/@biomejs/biome/bin/biome'),
      'lint',
      '--max-diagnostics=none',
      '--reporter=json',
      '.',
    ],
    { cwd: folder, encoding: 'utf8' },
  );
  expect(stdout, stderr).toMatch(/^\{/);
  const { diagnostics } = JSON.parse(stdout) as {
    diagnostics: { severity: string; category: string; location: { path: string } }[];
  };
  expect(diagnostics.filter(({ category }) => category !== 'plugin')).toEqual([]);
  return files.map(([name]) => diagnostics.some(({ location }) => location.path.endsWith(name)));
}

describe.each(Object.entries(RULES))('the rule %s', (rule, { refused, allowed }) => {
  it('refuses what it is for, and nothing else', () => {
    expect(refusedBy(rule, [...refused, ...allowed])).toEqual([
      ...refused.map(() => true),
      ...allowed.map(() => false),
    ]);
  });
});
