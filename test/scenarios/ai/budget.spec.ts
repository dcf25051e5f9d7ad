import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startOwnApp, type TestApp } from '../../harness/app.js';
import { type Home, newCollection, newHome, outcome, type TestCollection } from '../../harness/collection.js';
import { MovedClock } from '../auth/person.js';
import { fails, hangs, type ModelServer, planned, says, startModelServer } from './model-server.js';

const clock = new MovedClock();
let model: ModelServer;
let app: TestApp;
let home: Home;
let orders: TestCollection;

/** A question reserves a few thousand tokens; the budget of a day covers a few questions. */
const TOKENS_PER_DAY = 10_000;
const DAY = 86_400;

beforeAll(async () => {
  model = await startModelServer();
  app = await startOwnApp({
    database: 'own',
    clock,
    environment: {
      ...{ AI_ADAPTER: 'openai', AI_BASE_URL: model.url, AI_MODEL: 'test-model' },
      ...{ AI_MAX_RETRIES: '0', AI_TIMEOUT_MS: '3000', AI_MAX_OUTPUT_TOKENS: '500' },
      ...{ AI_TOKENS_PER_DAY: String(TOKENS_PER_DAY), AI_COST_PER_DAY: '100' },
      // In cents per million tokens: one cent buys 10,000 input or 1,000 output tokens.
      ...{ AI_INPUT_PRICE: '100', AI_OUTPUT_PRICE: '1000' },
      OUTBOUND_ALLOW_INSECURE_HOSTS: `127.0.0.1:${model.port}`,
    },
  });
});
afterAll(async () => {
  await app.close();
  await model.close();
});
beforeEach(async () => {
  home = await newHome(app);
  orders = await newCollection(app, home, { name: 'orders' });
});

const ask = () =>
  app.request('POST', `${orders.path}/ask`, { ...home.owner, body: { question: 'How many orders?' } });

const uses = (input: number, output: number) =>
  says(planned({ operation: 'count' }), {
    usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
  });

async function spent(): Promise<{ tokens: number; microcents: number }> {
  const [row] = await app.sql('SELECT tokens, microcents FROM ai_usage WHERE org_id = $1', [home.org.id]);
  return { tokens: Number(row.tokens), microcents: Number(row.microcents) };
}

describe('the daily budget of an organization', () => {
  it('is charged the usage that the endpoint reports, in tokens and money', async () => {
    model.answers(uses(1_000, 100));
    expect((await ask()).status).toBe(200);
    expect((await ask()).status).toBe(200);
    // Without AI_API_KEY no key is sent: self-hosted servers often need none.
    expect(model.received[0]?.headers.authorization).toBeUndefined();
    expect(await spent()).toEqual({ tokens: 2_200, microcents: 2 * (1_000 * 100 + 100 * 1_000) });
  });

  it('refuses with 429 and the seconds to wait when it is used up, without a model call, and renews at midnight UTC', async () => {
    model.answers(uses(9_500, 10));
    expect((await ask()).status).toBe(200);
    model.answers(uses(10, 10));
    const refused = await ask();
    expect(outcome(refused)).toEqual([429, 'TooManyRequests']);
    expect(refused.body.message).toContain('midnight');
    expect(model.received).toEqual([]);
    const wait = Number(refused.headers.get('retry-after'));
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(DAY);
    clock.move(wait);
    expect((await ask()).status).toBe(200);
    expect((await spent()).tokens).toBe(20);
  });

  it('is separate for each organization', async () => {
    model.answers(uses(9_500, 10));
    await ask();
    expect((await ask()).status).toBe(429);
    home = await newHome(app);
    orders = await newCollection(app, home, { name: 'orders' });
    model.answers(uses(10, 10));
    expect((await ask()).status).toBe(200);
  });

  it('holds for any number of concurrent questions', async () => {
    model.answers(uses(1_000, 500));
    const statuses = (await Promise.all(Array.from({ length: 12 }, ask))).map(({ status }) => status);
    expect(statuses.filter(status => status === 200).length).toBeGreaterThan(0);
    expect(statuses.filter(status => status === 429).length).toBeGreaterThan(0);
    expect(statuses.filter(status => status !== 200 && status !== 429)).toEqual([]);
    expect((await spent()).tokens).toBeLessThanOrEqual(TOKENS_PER_DAY);
  });

  it('is not charged for requests that the endpoint refused, but for requests that timed out', async () => {
    model.answers(fails(500));
    expect((await ask()).status).toBe(503);
    expect((await spent()).tokens).toBe(0);
    model.answers(hangs);
    expect((await ask()).status).toBe(503);
    expect((await spent()).tokens).toBeGreaterThan(500);
  });

  it("is charged the service's estimate if the endpoint reports no plausible usage", async () => {
    for (const usage of [
      undefined,
      {},
      { prompt_tokens: -1, completion_tokens: 1 },
      { prompt_tokens: 1e300, completion_tokens: 'x' },
    ]) {
      home = await newHome(app);
      orders = await newCollection(app, home, { name: 'orders' });
      model.answers(says(planned({ operation: 'count' }), { usage }));
      expect((await ask()).status).toBe(200);
      expect((await spent()).tokens).toBeGreaterThan(500);
    }
  });

  it('is deleted with its organization', async () => {
    model.answers(uses(10, 10));
    await ask();
    await app.request('DELETE', home.org.path, { token: home.org.owner.token });
    expect(await app.sql('SELECT 1 FROM ai_usage WHERE org_id = $1', [home.org.id])).toEqual([]);
  });

  it('is not charged while the endpoint is unreachable', async () => {
    await model.close();
    expect(outcome(await ask())).toEqual([503, 'Unavailable']);
    expect((await spent()).tokens).toBe(0);
  });
});
