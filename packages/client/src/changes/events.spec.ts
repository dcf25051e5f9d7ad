import { describe, expect, it } from 'vitest';
import { EventParser } from './events.js';

const parsed = (...pieces: string[]) => {
  const parser = new EventParser();
  return pieces.flatMap(piece => [...parser.push(piece)]);
};

describe('server-sent events', () => {
  const text =
    'retry: 2000\nid: 1\n\n: still here\n\nid: 2\nevent: change\ndata: {"a":1}\n\nevent: end\r\ndata: x\r\ndata:y\r\n\r\ndata: z\r\r';
  const events = [
    { event: 'message', id: '1', data: undefined },
    { event: 'change', id: '2', data: '{"a":1}' },
    { event: 'end', id: undefined, data: 'x\ny' },
    { event: 'message', id: undefined, data: 'z' },
  ];

  it('are parsed with their position, name and data', () => {
    expect(parsed(text, '\n')).toEqual(events);
  });

  it('may arrive in two pieces that are cut anywhere', () => {
    for (let cut = 0; cut <= text.length; cut += 1) {
      expect(parsed(text.slice(0, cut), text.slice(cut), '\n'), String(cut)).toEqual(events);
    }
  });

  it('may arrive character by character', () => {
    expect(parsed(...text, '\n')).toEqual(events);
  });

  it('say how long to wait before a reconnection', () => {
    const parser = new EventParser();
    expect([...parser.push('retry: soon\n\nretry: 2000\n\nretry: -1\n\n')]).toEqual([]);
    expect(parser.retryMs).toBe(2000);
  });

  it('are delivered at a CR, whether its LF follows or not', () => {
    expect(parsed('data: a\r', '\r', '\ndata: b\r', '\n\r\n').map(({ data }) => data)).toEqual(['a', 'b']);
  });

  it('are not delivered before they are complete', () => {
    expect(parsed('data: a\n')).toEqual([]);
  });
});
