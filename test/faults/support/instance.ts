import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { onTestFinished } from 'vitest';

/** A start takes a while on a busy machine. These tests do not judge how long. */
const READY_WITHIN_MS = 90_000;

/** A process of the built service. */
export interface Instance {
  readonly url: string;
  /** True until the process is killed or exits. */
  alive(): boolean;
  /** Its log so far: JSON lines and anything printed to stderr. */
  log(): string;
  /** Sends SIGKILL (kill -9). */
  kill(): Promise<void>;
  /** Restarts a killed process with the same settings. */
  restart(): Promise<void>;
}

/** An instance, with the methods that only its creator uses. */
export interface Running extends Instance {
  pid(): number;
  readonly killed: boolean;
  stop(): Promise<number | null>;
}

/**
 * Starts the built service with these settings and no other environment variables, and waits until it is ready. `program`
 * is that of another version.
 */
export async function startInstance(
  flags: readonly string[],
  settings: Readonly<Record<string, string>>,
  program = 'dist/service/main.js',
): Promise<Running> {
  const url = `http://127.0.0.1:${settings.PORT}`;
  let [output, complaints] = ['', ''];
  let killed = false;
  let child: ChildProcess;
  const lines = () => output.split('\n').filter(line => line.startsWith('{'));
  const isOver = () => child.exitCode !== null || child.signalCode !== null;
  const launch = async () => {
    killed = false;
    child = spawn(process.execPath, [...flags, program], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...settings },
    });
    child.stdout?.on('data', chunk => (output += chunk));
    child.stderr?.on('data', chunk => (complaints += chunk));
    await ready(url, () => !isOver());
  };
  const stop = async (signal: NodeJS.Signals) => {
    const closed = isOver() ? undefined : once(child, 'exit');
    child.kill(signal);
    await closed;
    return child.exitCode;
  };
  onTestFinished(async () => void (await stop('SIGKILL')));
  const instance = {
    url,
    alive: () => !isOver(),
    pid: () => child.pid as number,
    kill: async () => {
      killed = true;
      await stop('SIGKILL');
    },
    restart: launch,
    get killed() {
      return killed;
    },
    // The first start prints the first credentials for a person on purpose. That output is not part of the log.
    log: () => lines().join('\n') + complaints,
    stop: () => stop('SIGTERM'),
  };
  await launch().catch(error => {
    throw new Error(`${error.message}:\n${instance.log()}`);
  });
  return instance;
}

async function ready(url: string, alive: () => boolean): Promise<void> {
  const deadline = Date.now() + READY_WITHIN_MS;
  while (alive() && Date.now() < deadline) {
    const answer = await fetch(`${url}/health/ready`).catch(() => undefined);
    if (answer?.status === 200) return;
    await pause(50);
  }
  throw new Error(alive() ? 'the service was not ready in time' : 'the service ended at its start');
}
