import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tablesOf } from '../../conformance/examples.js';
import { startOwnApp, type TestApp } from '../../harness/app.js';
import { testPort } from '../../harness/port.js';
import { until } from '../changes/feed.js';
import { newMember, newOrg, type TestOrg } from '../orgs/org.js';
import { startUpstream, type Upstream } from './upstream.js';

const page = await readFile('docs/gateway.md', 'utf8');
/** The names in the first cells of a table. */
const named = (header: string) =>
  tablesOf(page)
    .filter(table => table.header[0] === header)
    .flatMap(({ rows }) =>
      rows.flatMap(([cell]) => [...cell!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!)),
    );

let app: TestApp;
let org: TestOrg;
let echo: Upstream;
let service: ChildProcess;
beforeAll(async () => {
  echo = await startUpstream();
  const [port, servicePort] = [await testPort(), await testPort()];
  const self = `http://127.0.0.1:${servicePort}`;
  app = await startOwnApp({
    environment: {
      PORT: String(port),
      GATEWAY_UPSTREAMS: JSON.stringify({ '/v2/files': self, '/v2/echo': echo.origin }),
    },
  });
  org = await newOrg(app);
  const [, code] = /^```js\n([\s\S]*?)^```/m.exec(page)!;
  const environment = { ...process.env, PUBLIC_URL: app.url, SELF: self };
  service = spawn(process.execPath, ['--input-type=module', '-e', code!], {
    env: environment,
    stdio: 'inherit',
  });
  const up = () =>
    fetch(self).then(
      () => true,
      () => false,
    );
  await until(up, 'the service of the page');
});
afterAll(async () => {
  service.kill();
  await app.close();
  await echo.close();
});

describe('docs/gateway.md', () => {
  it('shows a service that verifies its callers and their permissions, and accepts nobody else', async () => {
    const { token } = org.owner;
    const owner = await app.request('GET', '/v2/files', { token });
    expect([owner.status, owner.body]).toEqual([200, { sub: org.owner.userId, may: true }]);
    const member = await newMember(app, org, { permissions: ['orgs:manage'] });
    expect((await app.request('GET', '/v2/files', { token: member.token })).status).toBe(403);
    const elsewhere = await app.request('GET', '/v2/echo', { token });
    const self = app.settings.GATEWAY_UPSTREAMS.find(({ prefix }) => prefix === '/v2/files')!.origin;
    for (const identity of [elsewhere.body.headers['x-platform-identity'], token, '']) {
      expect((await fetch(self, { headers: { 'x-platform-identity': identity } })).status).toBe(401);
    }
  });

  it('lists every header and claim', async () => {
    const agent = await app.request('POST', `${org.path}/agents`, {
      ...org.owner,
      body: { slug: 'reader', name: 'R' },
    });
    const headers = { 'x-platform-agent-id': agent.body.id };
    const { body } = await app.request('GET', '/v2/echo', { token: org.owner.token, headers });
    const forwarded = Object.keys(body.headers).filter(name => /^(x-|via)/.test(name));
    expect(named('Header').sort()).toEqual(forwarded.sort());
    const claims = Object.keys(decodeJwt(body.headers['x-platform-identity']));
    const listed = named('Claim').map(claim => claim.split('.')[0]);
    expect(listed).toEqual(expect.arrayContaining(claims));
  });
});
