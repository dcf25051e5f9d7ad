import { expect, it } from 'vitest';
import { ERROR_STATUS, type ErrorCode, PlatformError } from './errors.js';

const codes = Object.keys(ERROR_STATUS) as ErrorCode[];
const hasFrames = ({ stack }: Error) => stack?.includes('errors.spec');

it('an error below 500 captures no stack, because nobody reads it; one from 500 on does', () => {
  const limit = Error.stackTraceLimit;
  for (const code of codes) {
    const error = new PlatformError(code, 'text');
    expect(hasFrames(error), code).toBe(error.status >= 500);
  }
  expect(Error.stackTraceLimit).toBe(limit);
  expect(hasFrames(new Error('text'))).toBe(true);
});
