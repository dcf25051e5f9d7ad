import { PassThrough, Readable } from 'node:stream';
import { runProgram } from '../src/program.js';

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Surroundings {
  readonly env?: Readonly<Record<string, string>>;
  /** Text on stdin. */
  readonly input?: string | Uint8Array;
}

/** Runs a command line in this process, with pipes for stdin, stdout and stderr. */
export async function tcol(
  args: readonly string[],
  { env = {}, input }: Surroundings = {},
): Promise<Outcome> {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const texts = [textOf(stdout), textOf(stderr)];
  const stdin = Readable.from(input === undefined ? [] : [Buffer.from(input)]);
  const code = await runProgram(args, { stdin, stdout, stderr, env });
  stdout.end();
  stderr.end();
  const [out = '', err = ''] = await Promise.all(texts);
  return { code, stdout: out, stderr: err };
}

/** The rows that a command printed to a pipe. */
// biome-ignore lint/suspicious/noExplicitAny: tests assert on them
export function rowsOf({ stdout }: Outcome): any[] {
  return stdout
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line));
}

async function textOf(stream: PassThrough): Promise<string> {
  let text = '';
  for await (const piece of stream) text += piece;
  return text;
}
