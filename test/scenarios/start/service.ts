import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { throughPooler } from '../../harness/database.js';
import { testPort } from '../../harness/port.js';

export interface Ended {
  readonly status: number | null;
  readonly output: string;
}

/** A program of this project that runs in a process of its own, as for a user. */
export interface Program {
  readonly child: ChildProcess;
  readonly url: string;
  /** Everything that it has printed so far. */
  output(): string;
  /** Resolves when it has exited, by itself or after `kill`. */
  readonly ended: Promise<Ended>;
}

/** An empty directory, accessible to the account that runs root's PostgreSQL. It is removed after the test. */
export async function scratchDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'typed-collections-start-'));
  await chmod(directory, 0o755);
  onTestFinished(() => rm(directory, { recursive: true, force: true, maxRetries: 20 }));
  return directory;
}

/** The files that `npm start` and `npm run cli` run. */
const PROGRAMS = { 'main.js': 'dist/service/main.js', 'cli.js': 'dist/service/cli.js' } as const;

/** Settings of a program, which gets no other environment variables of the test. */
export type Environment = Readonly<Record<string, string>>;

/** Starts a built program in a process group of its own. */
function launch(script: keyof typeof PROGRAMS, args: readonly string[], settings: Environment): Program {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [PROGRAMS[script], ...args], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH, HOME, ...settings, ...throughPooler(settings) },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', chunk => (output += chunk));
  const ended = once(child, 'close').then(() => ({ status: child.exitCode, output }));
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
    await ended;
  });
  return { child, url: `http://localhost:${settings.PORT}`, output: () => output, ended };
}

/** Starts the service, on a free port by default, and waits until it reports that it is ready. */
export async function startService(settings: Environment): Promise<Program> {
  const program = launch('main.js', [], { PORT: String(await testPort()), ...settings });
  const failed = program.ended.then(({ output }) => {
    throw new Error(`the service ended: ${output}`);
  });
  failed.catch(() => {});
  const ready = async () => {
    while (!/"msg":"listening"/.test(program.output())) await delay(20);
  };
  await Promise.race([ready(), failed]);
  return program;
}

/** Runs the service or a command until it exits. */
export function run(
  script: keyof typeof PROGRAMS,
  args: readonly string[],
  settings: Environment,
): Promise<Ended> {
  return launch(script, args, settings).ended;
}

/** Sends Ctrl-C as a terminal does: to every process of the group. */
export function interrupt({ child }: Program): void {
  process.kill(-(child.pid as number), 'SIGINT');
}

/** The PostgreSQL that runs on this data directory; undefined if none does. */
export async function postmaster(dataDir: string): Promise<number | undefined> {
  const file = await readFile(join(dataDir, 'postgres', 'cluster', 'postmaster.pid'), 'utf8').catch(() => '');
  return Number.parseInt(file, 10) || undefined;
}
