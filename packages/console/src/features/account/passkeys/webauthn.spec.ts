import { expect, it } from 'vitest';
import { bytesOf, creationOptionsOf, requestOptionsOf, textOf, toJson } from './webauthn.js';

const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
const text = btoa(String.fromCharCode(...bytes))
  .replaceAll('+', '-')
  .replaceAll('/', '_')
  .replaceAll('=', '');

it('converts bytes to base64url and back', () => {
  expect(textOf(bytes.buffer)).toBe(text);
  expect(bytesOf(text)).toEqual(bytes);
  expect(textOf(bytesOf('').buffer)).toBe('');
});

it('reads the options of a ceremony in browsers without a parser of their own', () => {
  const descriptor = { type: 'public-key', id: text };
  expect(
    creationOptionsOf({
      challenge: text,
      user: { id: text, name: 'ada' },
      excludeCredentials: [descriptor],
      timeout: 1,
    }),
  ).toEqual({
    challenge: bytes,
    user: { id: bytes, name: 'ada' },
    excludeCredentials: [{ type: 'public-key', id: bytes }],
    timeout: 1,
  });
  expect(requestOptionsOf({ challenge: text, rpId: 'localhost' })).toEqual({
    challenge: bytes,
    rpId: 'localhost',
    allowCredentials: [],
  });
});

it('writes a credential as JSON in browsers without toJSON', () => {
  const response = { clientDataJSON: bytes.buffer, signature: bytes.buffer, userHandle: null };
  const credential = { id: text, rawId: bytes.buffer, type: 'public-key', response };
  expect(toJson(credential as never)).toEqual({
    id: text,
    rawId: text,
    type: 'public-key',
    response: { clientDataJSON: text, signature: text },
    clientExtensionResults: {},
  });
});
