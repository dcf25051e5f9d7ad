import { startApp, startOwnApp, type TestApp } from '../app/app.js';
import { newKey } from '../scenarios/orgs/org.js';
import { type Home, newHome } from './collection.js';

/** Two instances of one service. The caller closes the second one. */
export interface TwoInstances {
  readonly app: TestApp;
  readonly second: TestApp;
  /** Its owner is a key, because a token is valid only at the instance that issued it. */
  readonly home: Home;
}

export async function startTwoInstances(): Promise<TwoInstances> {
  const app = await startApp();
  const second = await startOwnApp({ database: { url: app.settings.DATABASE_URL as string } });
  const { org } = await newHome(app);
  return { app, second, home: { org, owner: { key: (await newKey(app, org)).apiKey } } };
}
