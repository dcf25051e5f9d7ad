import { EventEmitter } from 'node:events';
import type { Response } from 'express';
import { describe, expect, it } from 'vitest';
import { createLogger } from './logger.js';
import type { PlatformRequest } from './platform-request.js';
import { requestLog } from './request-log.js';

/** The lines that a request leaves in the log. */
function linesOf(request: object, statusCode = 200, level = 'trace'): string[] {
  const lines: string[] = [];
  const logger = createLogger(level, { write: line => void lines.push(line) });
  const response = Object.assign(new EventEmitter(), { statusCode, writableFinished: true });
  const asked = { method: 'GET', url: '/', correlationId: 'c-1', startedAt: performance.now(), ...request };
  requestLog(logger)(asked as PlatformRequest, response as unknown as Response);
  response.emit('close');
  return lines;
}

function levelOf(path: string, statusCode: number): string {
  const lines = linesOf({ url: path }, statusCode);
  expect(lines).toHaveLength(1);
  return JSON.parse(lines[0] as string).level;
}

describe('the log line of a request', () => {
  it('is at level info', () => {
    for (const path of ['/v1/collections', '/console', '/console/collections'])
      expect(levelOf(path, 200), path).toBe('info');
  });

  it('is at level debug for a file of the console, unless the file is missing', () => {
    expect(levelOf('/console/assets/index-x.js', 200)).toBe('debug');
    expect(levelOf('/console/assets/index-x.js', 304)).toBe('debug');
    expect(levelOf('/console/assets/index-x.js', 404)).toBe('info');
  });

  it('is left out below the level of the log', () => {
    expect(linesOf({}, 200, 'warn')).toEqual([]);
    expect(linesOf({ url: '/console/assets/index-x.js' }, 200, 'info')).toEqual([]);
    expect(linesOf({}, 200, 'info')).toHaveLength(1);
  });

  it('has the fields and the form of the other lines', () => {
    const before = Date.now();
    const [line = ''] = linesOf({ method: 'POST', url: '/v1/collections', principal: { id: 'user-1' } }, 201);
    expect(line).toMatch(/^\{.*\}\n$/);
    const { time, ms, ...fields } = JSON.parse(line);
    expect(fields).toEqual({
      level: 'info',
      correlationId: 'c-1',
      method: 'POST',
      path: '/v1/collections',
      status: 201,
      principal: 'user-1',
    });
    expect(new Date(time).toISOString()).toBe(time);
    expect(Date.parse(time)).toBeGreaterThanOrEqual(before);
    expect(Math.round(ms * 10)).toBeCloseTo(ms * 10, 6);
  });

  it('has no principal without a credential', () => {
    expect(JSON.parse(linesOf({}, 401)[0] as string)).not.toHaveProperty('principal');
  });

  it('is one line of JSON for any text of a path or a principal', () => {
    const path = '/"\\\n\u0007\ud800 é';
    const lines = linesOf({ url: path, principal: { id: '"},{"\n' } });
    expect(lines).toHaveLength(1);
    expect((lines[0] as string).indexOf('\n')).toBe((lines[0] as string).length - 1);
    expect(JSON.parse(lines[0] as string)).toMatchObject({ path, principal: '"},{"\n' });
  });

  it('has no credentials of a path', () => {
    for (const secret of ['wak_abcdefghijkl', 'iak_acme_secret', 'at:abcdefgh', 'eyJhbGciOi.eyJzdWIi.c2ln']) {
      const [line] = linesOf({ url: `/v1/keys/${secret}/x` });
      expect(line, secret).toContain('"path":"/v1/keys/[redacted]/x"');
      expect(line, secret).not.toContain(secret);
    }
    expect(linesOf({ url: '/x/postgres://me:hush@db/x' })[0]).not.toContain('hush');
  });

  it('has no credentials of a path that encodes some of their characters', () => {
    for (const [sent, logged] of [
      ['/x/wak%5Fabcdefghijkl', '/x/[redacted]'],
      ['/x%20y/%61t%3aabcdefgh/z', '/x y/[redacted]/z'],
      [`/x/inv%5f${'a'.repeat(43)}`, '/x/[redacted]'],
      ['/x/at%253Aabcdefgh', '/x/[redacted]'],
      ['/x/wak%25255Fabcdefghijkl/100%25', '/x/[redacted]/100%'],
      ['/x%20y/%zz/%ff/wak%5Fabcdefghijkl', '/x y/%zz/%ff/[redacted]'],
    ] as const)
      expect(JSON.parse(linesOf({ url: sent })[0] as string).path).toBe(logged);
  });

  it('has the path as it was sent, without its query', () => {
    for (const [sent, logged] of [
      ['/x%20y?token=hush', '/x%20y'],
      ['/x?a=/b?c', '/x'],
      ['/x#token=hush', '/x'],
      ['foo://host', 'foo://host'],
      ['*', '*'],
    ] as const)
      expect(JSON.parse(linesOf({ url: sent })[0] as string).path).toBe(logged);
  });

  it('has the beginning of a path that is longer than that of any route', () => {
    const { path } = JSON.parse(linesOf({ url: `/${'x'.repeat(16_000)}` })[0] as string);
    expect(path).toBe(`/${'x'.repeat(999)}…`);
  });
});
