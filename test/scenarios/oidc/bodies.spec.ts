import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../app/app.js';
import { outcome } from '../../builders/collection.js';

describe('a body that is no form', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp();
  });

  it.each([
    '/oidc/device/auth',
    '/oidc/device',
    '/oidc/token',
    '/oidc/token/revocation',
    '/oidc/token/introspection',
    '/oidc/session/end',
    '/oidc/session/end/confirm',
    '/oidc/interaction/unknown',
  ])('is refused by %s', async path => {
    for (const raw of ['null', '[]', '1', '"token=x"', '{"token":{}}', '{"a":{"toString":0,"valueOf":0}}']) {
      const headers = { 'content-type': 'application/json' };
      const answer = await app.request('POST', path, { raw, headers });
      expect(outcome(answer), raw).toEqual([400, 'InvalidArguments']);
    }
  });
});
