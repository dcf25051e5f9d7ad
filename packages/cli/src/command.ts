import { Argument, type Command } from 'commander';
import type { Context } from './context.js';
import type { ExitCode } from './exit.js';

/** What a command does with its arguments and options. */
type Action<A extends readonly unknown[], O> = (
  context: Context,
  options: O,
  ...args: A
) => Promise<ExitCode> | Promise<void>;

/** Connects an action to a command. */
export type Run = <A extends readonly unknown[], O>(
  action: Action<A, O>,
) => (...args: unknown[]) => Promise<void>;

/** The arguments that many commands have. */
export const COLLECTION = ['<collection>', 'name or id'] as const;
export const FILTER = ['[filter]', 'JSON, @file or - for stdin', '{}'] as const;

/** The option of commands that read records. */
export const AS_OF = ['--as-of <instant>', 'as they were then, for example 2026-01-31T12:00:00Z'] as const;

/** An argument that is one of a few words. */
export function oneOf(name: string, choices: readonly string[]): Argument {
  return new Argument(name).choices(choices);
}

/** The examples at the end of the help of a command. The test suite runs them. */
export function examples(...lines: readonly string[]): readonly ['after', string] {
  return ['after', `\nExamples:\n${lines.map(line => `  ${line}\n`).join('')}`];
}

/** The values of an option that may be given several times. */
export const collect = (text: string, before: readonly string[]): string[] => [...before, text];

/** One line for each group of commands: `Files  import, export`. */
export function groupsOf({ commands }: Command): string {
  const groups = [...new Set(commands.map(command => command.helpGroup()))];
  const width = Math.max(...groups.map(({ length }) => length));
  const lines = groups.map(group => {
    const names = commands.filter(command => command.helpGroup() === group).map(command => command.name());
    return `  ${group.padEnd(width)}  ${names.join(', ')}\n`;
  });
  return `\nCommands:\n${lines.join('')}`;
}

/** The first items of a list that arrives piece by piece. */
export async function* first<T>(items: AsyncIterable<T>, limit: number): AsyncGenerator<T> {
  let left = limit;
  for await (const item of items) {
    yield item;
    if (--left === 0) return;
  }
}

/** All items of a list that the service returns in numbered pages. */
export async function allPages<T>(
  read: (page: number) => Promise<{ readonly items: readonly T[]; readonly total: number }>,
): Promise<T[]> {
  const found: T[] = [];
  for (let page = 1; ; page++) {
    const { items, total } = await read(page);
    found.push(...items);
    if (items.length === 0 || found.length >= total) return found;
  }
}

/** The first items of a list that the service returns in pages with cursors. */
export async function cursorPages<T>(
  limit: number,
  read: (page: {
    readonly limit: number;
    readonly cursor?: string;
  }) => Promise<{ readonly items: readonly T[]; readonly next_cursor: string | null }>,
): Promise<T[]> {
  const found: T[] = [];
  for (let cursor: string | undefined; ; ) {
    const size = Math.min(PAGE_SIZE, limit - found.length);
    const { items, next_cursor } = await read({ limit: size, ...(cursor !== undefined && { cursor }) });
    found.push(...items);
    if (next_cursor === null || found.length >= limit) return found;
    cursor = next_cursor;
  }
}

/** Items of a page of a list. The service accepts no more. */
export const PAGE_SIZE = 100;
