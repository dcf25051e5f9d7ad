import { once } from 'node:events';
import type { Response } from 'express';

/** How long a client waits before it comes again. */
const RETRY_MS = 2_000;
/** What is not on its way yet is in memory as a text and as bytes. */
const COPIES = 2;
/** Proxies close what is silent for longer; so nothing is. */
const SILENT_MS = 15_000;

/**
 * An answer of Server-Sent Events (HTML standard, 9.2). It keeps nothing for a client that does not read: whoever writes
 * waits until what was written before is on its way, and the client is cut off when that takes too long.
 */
export class ChangeStream {
  private readonly closing = new AbortController();
  /** Aborted when nobody listens any more. */
  readonly gone = this.closing.signal;
  private wroteAt = 0;
  private position = '';

  constructor(
    private readonly response: Response,
    private readonly stallMs: number,
    /** Counts bytes that are kept for the client, until what it returns is called. */
    private readonly keep: (bytes: number) => () => void = () => () => undefined,
  ) {
    response.on('close', () => this.closing.abort());
  }

  /** Sends the head, and from where to go on when the connection is lost before the first change. */
  begin(position: string): Promise<void> {
    this.position = position;
    this.response.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Accel-Buffering': 'no',
    });
    return this.write(`retry: ${RETRY_MS}\nid: ${position}\n\n`);
  }

  /**
   * Sends changes by their positions, and where to go on behind them: what the filter has left out, nobody must look at
   * again.
   */
  send(changes: readonly (readonly [position: string, json: string])[], next: string): Promise<void> {
    const events = changes.map(([position, json]) => `id: ${position}\nevent: change\ndata: ${json}\n\n`);
    const at = changes.at(-1)?.[0] ?? this.position;
    if (next !== at) events.push(`id: ${next}\n\n`);
    this.position = next;
    return this.write(events.join(''));
  }

  /** Shows proxies and the client that the connection is alive, now and then. */
  async breathe(): Promise<void> {
    if (performance.now() - this.wroteAt > SILENT_MS) await this.write(': still here\n\n');
  }

  /** Says why there will be nothing more. Without a reason the client comes again. */
  end(reason?: { readonly error: string; readonly message: string }): void {
    this.response.end(reason === undefined ? '' : `event: end\ndata: ${JSON.stringify(reason)}\n\n`);
  }

  /** Breaks the connection off. */
  cut(): void {
    this.response.destroy();
  }

  private async write(text: string): Promise<void> {
    if (text === '' || this.gone.aborted) return;
    this.wroteAt = performance.now();
    if (this.response.write(text)) return;
    const forget = this.keep(text.length * COPIES);
    const stalled = setTimeout(() => this.cut(), this.stallMs);
    await once(this.response, 'drain', { signal: this.gone }).catch(() => undefined);
    clearTimeout(stalled);
    forget();
  }
}
