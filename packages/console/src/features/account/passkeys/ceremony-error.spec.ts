import { TcError } from '@typed-collections/client';
import { expect, it } from 'vitest';
import { CeremonyError, problemOf, refusalOf } from './ceremony-error.js';

it.each([
  ['NotAllowedError', 'cancelled'],
  ['AbortError', 'cancelled'],
  ['InvalidStateError', 'exists'],
  ['SecurityError', 'origin'],
  ['NotSupportedError', 'unsupported'],
])('a %s of the browser means: %s', (name, problem) => {
  const found = problemOf(new DOMException('words of the browser', name), 'example.com');
  expect(found).toBeInstanceOf(CeremonyError);
  expect(found).toMatchObject({ problem, host: 'example.com' });
});

it('leaves every other failure as it is', () => {
  const failures = [new DOMException('x', 'UnknownError'), new TypeError('x')];
  for (const failure of failures) expect(problemOf(failure, '')).toBe(failure);
  const busy = new TcError('busy', { code: 'Unavailable', status: 503 });
  expect(refusalOf(busy)).toBe(busy);
});

it('a refused sign-in is not the end of the session of the page', () => {
  const refused = refusalOf(new TcError('no', { code: 'Unauthorized', status: 401 }));
  expect(refused).toBeInstanceOf(CeremonyError);
  expect(refused).toMatchObject({ problem: 'unknown' });
});
