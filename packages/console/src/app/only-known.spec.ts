import { expect, it } from 'vitest';
import { signInSearch } from '../features/account/search.js';
import { onlyKnown } from './only-known.js';

it('what a validation leaves out does not reach the page by way of the router', () => {
  const raw = { next: '//evil.example', org: 'acme', more: 1 };
  // The router spreads the result over the raw values.
  expect({ ...raw, ...onlyKnown(signInSearch)(raw) }).toEqual({
    next: undefined,
    org: 'acme',
    more: undefined,
  });
});
