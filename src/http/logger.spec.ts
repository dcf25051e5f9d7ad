import { EventEmitter } from 'node:events';
import type { Response } from 'express';
import { describe, expect, it } from 'vitest';
import { createLogger, requestLog } from './logger.js';
import type { PlatformRequest } from './platform-request.js';

/** The level of the line that a request leaves in the log. */
function levelOf(path: string, statusCode: number): string {
  const lines: string[] = [];
  const logger = createLogger('trace', { write: line => void lines.push(line) });
  const response = Object.assign(new EventEmitter(), { statusCode, writableFinished: true });
  const request = { method: 'GET', path, startedAt: 0 } as PlatformRequest;
  requestLog(logger)(request, response as unknown as Response);
  response.emit('close');
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
});
