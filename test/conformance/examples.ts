import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** A table of a page: its header and the cells of its rows. */
export interface Table {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export function tablesOf(page: string): Table[] {
  const blocks = page.match(/(?:^\|.*\|$\n?)+/gm) ?? [];
  return blocks.map(block => {
    const [header, , ...rows] = block.trim().split('\n').map(cellsOf);
    return { header: header!, rows };
  });
}

function cellsOf(line: string): string[] {
  return line
    .slice(1, -1)
    .split('|')
    .map(cell => cell.trim());
}

/** The JSON in a cell such as `` `{"a": 1}` ``. */
export function jsonIn(cell: string): unknown {
  return JSON.parse(cell.replace(/^`|`$/g, ''));
}

/** Shell commands, and the answer that the page states below them, if any: JSON or plain text. */
export interface Example {
  readonly commands: string;
  readonly json: unknown;
  readonly text: string | undefined;
}

export function examplesOf(page: string): Example[] {
  const blocks = page.matchAll(/^```sh\n([\s\S]*?)^```\n(?:\n```(json|text)\n([\s\S]*?)^```\n)?/gm);
  return [...blocks].map(([, commands, language, answer]) => ({
    commands: commands!,
    json: language === 'json' ? JSON.parse(answer!) : undefined,
    text: language === 'text' ? answer!.trim() : undefined,
  }));
}

/**
 * Runs all commands of a page in one shell, as a reader would, and returns what each example printed, and the
 * final values of `variables`.
 */
export async function run(
  examples: readonly Example[],
  environment: Readonly<Record<string, string>>,
  variables: readonly string[],
): Promise<{ printed: string[]; values: string[] }> {
  const script = [
    'set -eu',
    ...examples.map(({ commands }) => `${commands}printf '\\0'`),
    ...variables.map(name => `printf '%s\\0' "$${name}"`),
  ].join('\n');
  const { stdout } = await promisify(execFile)('bash', ['-c', script], {
    env: { PATH: process.env.PATH, ...environment },
    maxBuffer: 16 * 1024 * 1024,
  });
  const parts = stdout.split('\0').slice(0, -1);
  return { printed: parts.slice(0, examples.length), values: parts.slice(examples.length) };
}

/** The stated answer with every `"…"` replaced by the actual value. `{"…": "…"}` stands for more fields. */
export function filledIn(stated: unknown, real: unknown): unknown {
  if (stated === '…' && real !== undefined && real !== null) return real;
  if (Array.isArray(stated) && Array.isArray(real)) return stated.map((each, n) => filledIn(each, real[n]));
  if (!isObject(stated) || !isObject(real)) return stated;
  const { '…': more, ...named } = stated;
  const filled = Object.entries(named).map(([name, value]) => [name, filledIn(value, real[name])]);
  return { ...(more === undefined ? {} : real), ...Object.fromEntries(filled) };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
