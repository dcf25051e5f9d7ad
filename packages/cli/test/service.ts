import { startApp, startOwnApp, type TestApp } from '../../../test/harness/app.js';
import { emptyDirectory } from '../../../test/harness/empty-directory.js';
import { newOrg, newSlug } from '../../../test/scenarios/orgs/org.js';

/** A service, and the environment of somebody who may use it. */
export interface Service {
  readonly app: TestApp;
  readonly orgSlug: string;
  readonly env: Readonly<Record<string, string>>;
}

/** An organization of its own, with a token of its owner. */
export async function newService(app?: TestApp, slug = newSlug()): Promise<Service> {
  const used = app ?? (await startApp());
  const { owner } = await newOrg(used, slug);
  const env = { TC_URL: used.url, TC_TOKEN: owner.token, TC_CONFIG_DIR: emptyDirectory() };
  return { app: used, orgSlug: slug, env };
}

/** An app that deletes by filter, and sends webhooks to this machine. The test closes it. */
export function permissiveApp(): Promise<TestApp> {
  const environment = { OUTBOUND_ALLOW_INSECURE_HOSTS: '127.0.0.1', ALLOW_BULK_DELETE: 'true' };
  return startOwnApp({ database: 'own', environment });
}
