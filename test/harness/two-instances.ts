import { newKey } from '../scenarios/orgs/org.js';
import { startApp, startOwnApp, type TestApp } from './app.js';
import { type Home, newHome } from './collection.js';

/** Two instances of one service. The caller closes the second one. */
export interface TwoInstances {
  readonly app: TestApp;
  readonly second: TestApp;
  /** Its owner is a key, because a token is valid only at the instance that issued it. */
  readonly home: Home;
}

/** @param first the app of the worker, unless the test needs a database of its own, which it then closes too */
export async function startTwoInstances(first: Promise<TestApp> = startApp()): Promise<TwoInstances> {
  const app = await first;
  const second = await startOwnApp({ database: { url: app.settings.DATABASE_URL as string } });
  const { org } = await newHome(app);
  return { app, second, home: { org, owner: { key: (await newKey(app, org)).apiKey } } };
}
