import { EventEmitter } from 'node:events';
import type { Response } from 'express';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ChangeStream } from './change-stream.js';

/** A response whose client reads everything, or nothing. */
class Client extends EventEmitter {
  takes = true;
  heard = '';
  destroyed = false;
  closed = false;
  writeHead = vi.fn();

  write(text: string): boolean {
    this.heard += text;
    return this.takes;
  }

  end(text: string): void {
    this.heard += text;
  }

  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

let client: Client;
let stream: ChangeStream;
beforeEach(() => {
  vi.useFakeTimers();
  client = new Client();
  stream = new ChangeStream(client as unknown as Response, 30_000);
});
afterEach(() => vi.useRealTimers());

describe('a stream of changes', () => {
  it('sends the position of each change, and the position after changes that were left out', async () => {
    await stream.begin('p0');
    await stream.send([['p1', '{"n":1}']], 'p1');
    await stream.send([], 'p1');
    await stream.send([], 'p2');
    await stream.send([['p3', '{"n":3}']], 'p4');
    expect(client.heard.split('\n\n')).toEqual([
      'retry: 2000\nid: p0',
      'id: p1\nevent: change\ndata: {"n":1}',
      'id: p2',
      'id: p3\nevent: change\ndata: {"n":3}',
      'id: p4',
      '',
    ]);
  });

  it('sends a keep-alive comment when it has been silent for a while', async () => {
    await stream.begin('p0');
    client.heard = '';
    await stream.breathe();
    vi.advanceTimersByTime(15_001);
    await stream.breathe();
    await stream.breathe();
    expect(client.heard).toBe(': still here\n\n');
  });

  it('waits for a slow client, and disconnects it after a timeout', async () => {
    await stream.begin('p0');
    client.takes = false;
    const first = stream.send([['p1', '{}']], 'p1');
    client.emit('drain');
    await first;
    expect([client.destroyed, stream.gone.aborted]).toEqual([false, false]);
    const second = stream.send([['p2', '{}']], 'p2');
    await vi.advanceTimersByTimeAsync(29_999);
    expect(client.destroyed).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await second;
    expect([client.destroyed, stream.gone.aborted]).toEqual([true, true]);
    client.heard = '';
    await stream.send([['p3', '{}']], 'p3');
    expect(client.heard).toBe('');
  });

  it('has ended before it begins when its client has disconnected already', async () => {
    client.closed = true;
    client.takes = false;
    stream = new ChangeStream(client as unknown as Response, 30_000);
    await stream.begin('p0');
    expect([stream.gone.aborted, client.heard]).toEqual([true, '']);
  });

  it('counts the bytes that it buffers for a slow client', async () => {
    let kept = 0;
    const keep = (bytes: number) => {
      kept += bytes;
      return () => {
        kept -= bytes;
      };
    };
    stream = new ChangeStream(client as unknown as Response, 30_000, keep);
    await stream.begin('p0');
    await stream.send([['p1', '{}']], 'p1');
    expect(kept).toBe(0);
    client.takes = false;
    const sent = stream.send([['p2', `"${'x'.repeat(1_000)}"`]], 'p2');
    expect(kept).toBeGreaterThan(2_000);
    client.emit('close');
    await sent;
    expect(kept).toBe(0);
  });

  it('sends the reason for its end, or ends without a message', () => {
    stream.end({ error: 'Unauthorized', message: 'no' });
    stream.end();
    expect(client.heard).toBe('event: end\ndata: {"error":"Unauthorized","message":"no"}\n\n');
  });
});
