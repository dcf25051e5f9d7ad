import { startApp, type TestApp } from '../../../test/app/app.js';
import { newOrg } from '../../../test/scenarios/orgs/org.js';
import { emptyDirectory } from './tcol.js';

/** A service, and the environment of somebody who may use it. */
export interface Service {
  readonly app: TestApp;
  readonly env: Readonly<Record<string, string>>;
}

/** An organization of its own, with a token of its owner. */
export async function newService(): Promise<Service> {
  const app = await startApp();
  const { owner } = await newOrg(app);
  return { app, env: { TC_URL: app.url, TC_TOKEN: owner.token, TC_CONFIG_DIR: emptyDirectory() } };
}
