import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';

const PROGRAM = fileURLToPath(new URL('../bin/tcol.js', import.meta.url));
const PATIENCE_MS = 60_000;

/** Ctrl-C, as a terminal sends it. */
export const CTRL_C = '\u0003';
export const ENTER = '\r';

/** Builds the command line, which runs as its own program in a terminal. */
export function build(): void {
  execFileSync(process.execPath, ['scripts/build-if-needed.mjs', 'client', 'cli'], { stdio: 'inherit' });
}

/** The program in a pseudo-terminal: what a person sees and types. */
export class Terminal {
  private readonly child: ChildProcess;
  private raw = '';
  private readonly ended: Promise<unknown>;

  constructor(args: readonly string[], env: Readonly<Record<string, string>>, columns = 100) {
    const command = [process.execPath, PROGRAM, ...args].map(quoted).join(' ');
    const script = `stty cols ${columns} rows 40; exec ${command}`;
    this.child = spawn('script', ['-qefc', script, '/dev/null'], {
      env: { PATH: process.env.PATH, HOME: '/nonexistent', TERM: 'xterm', SHELL: '/bin/sh', ...env } as never,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.raw += text;
    });
    this.ended = once(this.child, 'exit');
  }

  /** Everything shown so far, without colors and cursor movements. */
  get shown(): string {
    return stripVTControlCharacters(this.raw).replaceAll('\r', '\n');
  }

  /** With colors. */
  get colored(): string {
    return this.raw;
  }

  /** Waits until something is shown. */
  async until(pattern: RegExp): Promise<RegExpExecArray> {
    const deadline = Date.now() + PATIENCE_MS;
    for (;;) {
      const match = pattern.exec(this.shown);
      if (match !== null) return match;
      if (Date.now() > deadline || this.child.exitCode !== null) {
        throw new Error(`the terminal never showed ${pattern}. It shows:\n${this.shown}`);
      }
      await new Promise(resolve => setTimeout(resolve, 20));
    }
  }

  type(text: string): void {
    this.child.stdin?.write(text);
  }

  /** Waits for the end of the program. Returns its exit code. */
  async exitCode(): Promise<number | null> {
    await this.ended;
    this.child.stdin?.destroy();
    return this.child.exitCode;
  }
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
