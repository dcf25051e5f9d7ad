import { expect, it } from 'vitest';
import type { Instance } from '../support/instance.js';
import type { Service } from '../support/service.js';
import { underLoad } from '../support/trial.js';

const AHEAD_MS = 120_000;
const PRELOAD = new URL('./clock-ahead.mjs', import.meta.url).href;

/** Opens a session on one instance and returns the answers of the other to it. */
async function acrossInstances({ call, secrets, instances }: Service, from: 0 | 1): Promise<number> {
  const made = await call(instances[from], 'POST', '/v2/login/anonymous', { body: {} });
  expect(made.status).toBe(201);
  secrets.push(made.body.token);
  return (await call(instances[from === 0 ? 1 : 0], 'GET', '/v2/me', { token: made.body.token })).status;
}

it('an instance whose clock is two minutes ahead accepts the sessions of the others, and they accept its own', () =>
  underLoad(
    'Clock of one instance 2 minutes ahead',
    async ({ service, load }) => {
      const [right, ahead] = service.instances;
      expect(lastLine(ahead) - lastLine(right)).toBeGreaterThan(AHEAD_MS / 2);
      expect([await acrossInstances(service, 0), await acrossInstances(service, 1)]).toEqual([200, 200]);
      await load.acknowledge(1_000);
      expect(load.outcomes).toMatchObject({ refused: 0, dropped: 0 });
    },
    {
      differing: [
        {},
        { nodeFlags: ['--import', PRELOAD], environment: { CLOCK_AHEAD_MS: String(AHEAD_MS) } },
      ],
    },
  ));

/** The time of the last log line of an instance, by its own clock. */
function lastLine(instance: Instance): number {
  return Date.parse(JSON.parse(instance.log().split('\n').at(-1) as string).time);
}
