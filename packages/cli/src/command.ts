import type { Context } from './context.js';
import type { ExitCode } from './exit.js';

/** What a command does with its arguments and options. */
export type Action<A extends readonly unknown[], O> = (
  context: Context,
  options: O,
  ...args: A
) => Promise<ExitCode> | Promise<void>;

/** Connects an action to a command. */
export type Run = <A extends readonly unknown[], O>(
  action: Action<A, O>,
) => (...args: unknown[]) => Promise<void>;

/** The examples at the end of the help of a command. The test suite runs them. */
export function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map(line => `  ${line}\n`).join('')}`;
}

/** The first items of a list that arrives piece by piece. */
export async function* first<T>(items: AsyncIterable<T>, limit: number): AsyncGenerator<T> {
  let left = limit;
  for await (const item of items) {
    yield item;
    if (--left === 0) return;
  }
}
