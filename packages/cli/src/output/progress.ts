import type { Io } from '../context.js';

const EVERY_MS = 100;
const WIDTH = 24;
const MAX_LINE = 80;

/** A line on the terminal that shows how far a transfer is. Nothing is shown in a pipe or with --quiet. */
export class Progress {
  private shown = '';
  private last = 0;
  private isEnded = false;

  constructor(
    private readonly stderr: Io['stderr'],
    private readonly isOn: boolean,
  ) {}

  /** Shows text after a bar for the share that is done. Without a share there is no bar. */
  show(share: number | undefined, text: string): void {
    const now = performance.now();
    if (!this.isOn || this.isEnded || now - this.last < EVERY_MS) return;
    this.last = now;
    const line = share === undefined ? text : `${bar(share)} ${text}`;
    // A longer line would wrap, and could not be drawn over.
    this.draw(line.slice(0, (this.stderr.columns ?? MAX_LINE) - 1));
  }

  /** Removes the line. It does not come back: parts of a transfer may still be under way. */
  end(): void {
    this.isEnded = true;
    if (this.shown !== '') this.draw('');
  }

  private draw(line: string): void {
    this.stderr.write(
      `\r${line}${' '.repeat(Math.max(0, this.shown.length - line.length))}${line === '' ? '\r' : ''}`,
    );
    this.shown = line;
  }
}

function bar(share: number): string {
  const done = Math.round(Math.min(1, share) * WIDTH);
  return `${'█'.repeat(done)}${'░'.repeat(WIDTH - done)} ${String(Math.floor(Math.min(1, share) * 100)).padStart(3)} %`;
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/** For example `12.3 MB`. */
export function inBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  for (; value >= 1000 && unit < UNITS.length - 1; unit++) value /= 1000;
  return `${unit === 0 ? value : value.toFixed(1)} ${UNITS[unit]}`;
}

/** For example `12,345 rows`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`;
}
