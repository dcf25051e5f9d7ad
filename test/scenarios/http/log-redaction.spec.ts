import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { freshDatabaseUrl } from '../../harness/database.js';
import { type Program, scratchDirectory, startService } from '../start/service.js';

const ticket = 'T1cket'.repeat(8).slice(0, 43);
const jwt = `eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJub2JvZHkifQ.${'S1gnature'.repeat(8)}`;
const accessToken = `at:${'Acc3ss'.repeat(8).slice(0, 43)}`;
const key = `iak_acme_${randomUUID()}`;
const clientSecret = `sas_acme_${randomUUID()}`;
const inviteCode = `inv_${'Inv1te'.repeat(8).slice(0, 43)}`;
const password = 'p4ssw0rd-in-a-body';

/** The parts by which the test recognises each credential, however it is encoded. */
const SECRETS = [
  ticket,
  jwt.split('.')[2],
  accessToken.slice(3),
  key.slice(9),
  clientSecret.slice(9),
  inviteCode.slice(4),
  password,
];

const EVERYWHERE: Record<string, string> = {
  authorization: `Bearer ${jwt}`,
  'x-platform-api-key': key,
  cookie: `access-token=${jwt}`,
  'x-correlation-id': key,
  'user-agent': accessToken,
  referer: `http://localhost/v2/user/webSession?ticket=${ticket}`,
  'x-forwarded-for': key,
};

function sent(url: string): [string, RequestInit][] {
  const json = { 'content-type': 'application/json' };
  const body = JSON.stringify({
    ...{ ticket, token: jwt, apiKey: key, clientSecret, password, client_secret: clientSecret },
    nested: { subject_token: jwt, password, [accessToken]: key },
  });
  const good = { method: 'POST', headers: { ...json, authorization: `Bearer ${accessToken}` } };
  return [
    [`${url}/v2/me`, { headers: EVERYWHERE }],
    [`${url}/v2/me`, { headers: { authorization: `Bearer ${accessToken}` } }],
    [`${url}/v2/me`, { headers: { authorization: accessToken } }],
    [`${url}/v2/me`, { headers: { 'x-platform-api-key': key } }],
    [`${url}/v2/me`, { headers: { cookie: `access-token=${accessToken}` } }],
    [`${url}/v2/user/webSession?ticket=${ticket}&redirect=/docs`, {}],
    [`${url}/v2/user/webSession?ticket=${ticket}&redirect=//evil.example/${jwt}`, {}],
    [
      `${url}/v2/orgs/acme/api-keys/validate`,
      { ...good, headers: json, body: JSON.stringify({ apiKey: key }) },
    ],
    [`${url}/v2/login/anonymous`, { ...good, headers: json, body }],
    [`${url}/v2/login/anonymous`, { ...good, headers: json, body: body.slice(0, -1) }],
    [`${url}/v1/collections?filter=${encodeURIComponent(body)}`, good],
    [`${url}/v1/collections/${encodeURIComponent(accessToken)}`, good],
    [`${url}/v1/collections/${key}?token=${jwt}`, {}],
    [`${url}/v2/orgs/acme/invites/${inviteCode}`, { method: 'DELETE', headers: EVERYWHERE }],
    [`${url}/nowhere/${jwt}/${clientSecret}`, { headers: EVERYWHERE }],
    [`${url}/v1/collections/%ff${key}`, {}],
  ];
}

/** Requests that HTTP clients do not send. */
async function malformed({ url }: Program, head: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  socket.end(head);
  await text(socket).catch(() => '');
}

describe('the log at its most verbose level', () => {
  it('contains no credential, wherever in a request it was and however the request ended', async () => {
    const DATABASE_URL = await freshDatabaseUrl();
    const DATA_DIR = await scratchDirectory();
    const service = await startService({ DATABASE_URL, DATA_DIR, LOG_LEVEL: 'trace' });
    const screen = service.output();
    const own = [/at:\S{43}/, /iak_\S+/, /ticket=([\w-]{43})/].map(each => each.exec(screen)?.[0] as string);
    const asOwner = { authorization: `Bearer ${own[0]}`, 'content-type': 'application/json' };

    for (const [url, init] of sent(service.url)) await fetch(url, { ...init, redirect: 'manual' });
    for (const name of [password, key, jwt]) {
      const body = JSON.stringify({ name, description: accessToken, [jwt]: clientSecret });
      await fetch(`${service.url}/v1/collections`, { method: 'POST', headers: asOwner, body });
    }
    await malformed(service, `GET /v2/me HTTP/1.1\r\nauthorization: Bearer ${jwt}\r\nbroken ${key}\r\n\r\n`);
    await malformed(service, `GET /${key} HTTP/1.1\r\nHost: x\r\ncontent-length: a\r\n\r\n${password}`);
    await malformed(service, `${jwt}\r\n\r\n`);
    const minted = await fetch(`${service.url}/v2/me`, { headers: asOwner });
    expect(minted.status).toBe(200);

    // The log is written after the answer, so the test waits for its last line.
    await fetch(`${service.url}/health/live`, { headers: { 'x-correlation-id': 'the-last-line' } });
    while (!service.output().includes('the-last-line')) await delay(10);
    const log = service
      .output()
      .split('\n')
      .filter(line => line.startsWith('{'));
    expect(log.length).toBeGreaterThan(20);
    for (const line of log) expect(() => JSON.parse(line)).not.toThrow();
    const logged = log.join('\n');
    for (const secret of [...SECRETS, ...own]) expect(logged).not.toContain(secret);
    expect(logged).not.toContain(new URL(DATABASE_URL).password || 'no password');
  });
});
