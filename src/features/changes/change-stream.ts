import { once } from 'node:events';
import type { Response } from 'express';
import { whenClosed } from '../../platform/http/server/connections.js';

/** Time after which a client reconnects. */
const RETRY_MS = 2_000;
/** Unsent data is in memory twice: as text and as bytes. */
const COPIES = 2;
/** Time without data after which a comment is sent, because proxies close idle connections. */
const SILENT_MS = 15_000;

/**
 * An answer of Server-Sent Events (HTML standard, 9.2) with backpressure: a write waits until earlier data is sent, and
 * a client that does not read for too long is disconnected.
 */
export class ChangeStream {
  private readonly closing = new AbortController();
  /** Aborted when the client has disconnected. */
  readonly gone = this.closing.signal;
  private wroteAt = 0;
  private position = '';

  constructor(
    private readonly response: Response,
    private readonly stallMs: number,
    /** Counts bytes that wait for the client. The returned function releases them. */
    private readonly keep: (bytes: number) => () => void = () => () => undefined,
  ) {
    // The client may have disconnected before the stream began.
    whenClosed(response, () => this.closing.abort());
  }

  /** Sends the head and the first position, for clients that lose the connection before the first change. */
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
   * Sends changes with their positions, and the position after them, so that changes that the filter left out are not
   * read again.
   */
  send(changes: readonly (readonly [position: string, json: string])[], next: string): Promise<void> {
    const events = changes.map(([position, json]) => `id: ${position}\nevent: change\ndata: ${json}\n\n`);
    const at = changes.at(-1)?.[0] ?? this.position;
    if (next !== at) events.push(`id: ${next}\n\n`);
    this.position = next;
    return this.write(events.join(''));
  }

  /** Sends a comment when nothing was sent for a while, to keep the connection open. */
  async breathe(): Promise<void> {
    if (performance.now() - this.wroteAt > SILENT_MS) await this.write(': still here\n\n');
  }

  /**
   * Ends the stream, with the reason if there is one. Without a reason the client reconnects. After `reset` the client must
   * read the collection again.
   */
  end(reason?: { readonly error: string; readonly message: string }): void {
    const event = reason?.error === 'PositionReset' ? 'reset' : 'end';
    this.response.end(reason === undefined ? '' : `event: ${event}\ndata: ${JSON.stringify(reason)}\n\n`);
  }

  /** Closes the connection at once. */
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
