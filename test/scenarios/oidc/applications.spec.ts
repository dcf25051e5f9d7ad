import { beforeAll, describe, expect, it } from 'vitest';
import type { TestApp } from '../../harness/app.js';
import { type Person, person } from '../auth/person.js';
import { Browser } from './browser.js';
import { connect, register, relyingParty, startOidcApp } from './client.js';

let app: TestApp;
beforeAll(async () => {
  app = await startOidcApp();
});

const listed = async ({ token }: Pick<Person, 'token'>) =>
  (await app.request('GET', '/v2/user/applications', { token })).body;

describe('the applications that a person has given access', () => {
  it('are listed with name, scopes and session, newest first; sign-ins to the platform are not', async () => {
    const somebody = await person(app);
    expect(await listed(somebody)).toEqual({ results: [], total: 0 });
    await connect(await relyingParty(app), Browser.of(app, somebody));
    const redirect_uri = 'https://tool.example.com/cb';
    const tool = await register(app, [redirect_uri], { client_name: 'Reports' });
    await connect(tool, Browser.of(app, somebody), { redirect_uri, scope: 'openid collections:read' });
    const { results, total } = await listed(somebody);
    expect(total).toBe(2);
    expect(results).toMatchObject([
      { name: 'Reports', own: false },
      { name: 'Console', own: true, clientId: 'console' },
    ]);
    expect(results[0].scopes.sort()).toEqual(['collections:read', 'openid']);
    expect(results[1].scopes.sort()).toEqual(['collections:read', 'email', 'openid']);
    const sessions = await app.request('GET', '/v2/user/sessions', { token: somebody.token });
    const ofApplications = sessions.body.results.filter(
      ({ clientId }: { clientId: string }) => clientId !== 'platform',
    );
    expect(results.map(({ sessionId }: { sessionId: string }) => sessionId)).toEqual(
      ofApplications.map(({ id }: { id: string }) => id),
    );
  });

  it('lose their access with their session, and are no longer listed', async () => {
    const somebody = await person(app);
    const { access_token } = await connect(await relyingParty(app), Browser.of(app, somebody));
    const [{ sessionId }] = (await listed(somebody)).results;
    const ended = await app.request('DELETE', `/v2/user/sessions/${sessionId}`, { token: somebody.token });
    expect(ended.status).toBe(204);
    expect(await listed(somebody)).toEqual({ results: [], total: 0 });
    expect((await app.request('GET', '/v2/me', { token: access_token })).status).toBe(401);
  });

  it('are listed to the person alone, and not to an application', async () => {
    const somebody = await person(app);
    const { access_token } = await connect(await relyingParty(app), Browser.of(app, somebody));
    expect(await listed(await person(app))).toEqual({ results: [], total: 0 });
    expect((await app.request('GET', '/v2/user/applications', { token: access_token })).status).toBe(403);
    expect((await app.request('GET', '/v2/user/applications')).status).toBe(401);
  });
});
