import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startOwnApp, type TestApp } from '../../app/app.js';
import { type Person, person } from '../auth/person.js';
import { Browser } from './browser.js';
import { clientSettings, connect, relyingParty } from './client.js';

let app: TestApp;
let somebody: Person;
beforeAll(async () => {
  app = await startOwnApp({ database: 'own', environment: clientSettings() });
  somebody = await person(app);
});
afterAll(() => app?.close());

describe('the code flow', () => {
  it('works', async () => {
    const config = await relyingParty(app);
    const tokens = await connect(config, Browser.of(app, somebody));
    expect((await app.request('GET', '/v2/me', { token: tokens.access_token })).status).toBe(200);
  });
});
