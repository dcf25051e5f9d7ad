import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ByteBudget } from '../../../src/kernel/bounds/byte-budget.js';
import { startOwnApp, type TestApp } from '../../app/app.js';
import { type Home, insert, newCollection, newHome, type TestCollection } from '../../builders/collection.js';
import { credentials } from '../mcp/client.js';
import { ask, leaveDuringRead, now, until } from './feed.js';

let app: TestApp;
let home: Home;
beforeAll(async () => {
  app = await startOwnApp({ environment: { CHANGES_MAX_STREAMS_PER_CALLER: '1' } });
  home = await newHome(app);
});
afterAll(() => app.close());

const pathOf = ({ path }: TestCollection, since: string) =>
  `${path}/changes?${new URLSearchParams({ since })}`;

describe('a client that disconnects while the service reads its changes', () => {
  it('leaves no memory of a large list counted', async () => {
    const collection = await newCollection(app, home);
    const since = await now(app, collection);
    await insert(app, collection, ...Array.from({ length: 5 }, (_, n) => ({ n, text: 'x'.repeat(100_000) })));
    const list = await ask(app, collection, { since });
    expect(list.text.length).toBeGreaterThan(500_000);
    const headers = credentials(home.owner);
    const response = await leaveDuringRead(app, pathOf(collection, since), { headers });
    await until(() => response.writableEnded, 'the end of the answer');
    await expect.poll(() => app.nest.get(ByteBudget).state.used).toBe(0);
  });
});
