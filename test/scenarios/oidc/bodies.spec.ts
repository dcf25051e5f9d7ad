import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import { outcome } from '../../harness/collection.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});

describe('a body that is no form', () => {
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

it("OAuth's endpoints take the fields of a form also as JSON, and ignore query parameters that they do not know", async () => {
  const send = async (type: string, raw: string) => {
    const answer = await app.request('POST', '/oidc/device/auth?later=1', {
      raw,
      headers: { 'content-type': type },
    });
    return [answer.status, Object.keys(answer.body)];
  };
  const fields = { client_id: 'typed-collections-cli', scope: 'platform offline_access' };
  const form = await send('application/x-www-form-urlencoded', new URLSearchParams(fields).toString());
  expect(form).toEqual([200, expect.arrayContaining(['device_code', 'user_code'])]);
  expect(await send('application/json', JSON.stringify(fields))).toEqual(form);
});
