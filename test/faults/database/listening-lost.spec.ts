import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Instance } from '../support/instance.js';
import type { Service } from '../support/service.js';
import { underLoad } from '../support/trial.js';

const SESSIONS = 12;
/** The promised time for every instance, whether or not it received a notification. */
const REFUSED_WITHIN_MS = 5_000;
const MACHINE_MS = 3_000;

const LISTENING = `FROM pg_stat_activity WHERE application_name = 'typed-collections listen'`;
const CUT = `SELECT pg_terminate_backend(pid) ${LISTENING}`;

interface Session {
  readonly id: string;
  readonly token: string;
}

async function newSession({ call, secrets }: Service, instance: Instance): Promise<Session> {
  const { status, body } = await call(instance, 'POST', '/v2/login/anonymous', { body: {} });
  expect(status).toBe(201);
  secrets.push(body.token);
  return { id: body.sessionId, token: body.token };
}

async function status({ call }: Service, instance: Instance, { token }: Session): Promise<number> {
  return (await call(instance, 'GET', '/v2/me', { token })).status;
}

it('sessions revoked while no instance receives notifications end within seconds on every instance, and all others stay', () =>
  underLoad('`LISTEN` connections cut while sessions are revoked', async ({ cluster, service, load }) => {
    const [here, there] = service.instances;
    const sessions = await Promise.all(Array.from({ length: SESSIONS }, () => newSession(service, here)));
    const kept = await newSession(service, here);
    const listening = async () => (await cluster.sql(`SELECT pid ${LISTENING}`)).length;
    for (const [n, session] of sessions.entries()) {
      // The connections that were cut in the previous round are open again.
      if (n % 3 === 0) await expect.poll(listening, { timeout: 20_000, interval: 20 }).toBe(2);
      // Both instances have just seen these sessions.
      expect(await Promise.all([status(service, here, session), status(service, there, session)])).toEqual([
        200, 200,
      ]);
      if (n % 3 === 0) expect((await cluster.sql(CUT)).length).toBeGreaterThan(0);
      const ended = await service.call(here, 'POST', '/v2/logout', { token: session.token });
      expect(ended.status).toBeLessThan(300);
      if (n % 3 === 1) await cluster.sql(CUT);
      const revokedAt = performance.now();
      expect(await status(service, here, session)).toBe(401);
      while ((await status(service, there, session)) !== 401) {
        expect(performance.now() - revokedAt).toBeLessThan(REFUSED_WITHIN_MS + MACHINE_MS);
        await pause(20);
      }
      expect(await status(service, there, kept)).toBe(200);
    }
    for (const session of sessions) expect(await status(service, there, session)).toBe(401);
    expect(load.outcomes).toMatchObject({ refused: 0, dropped: 0 });
  }));
