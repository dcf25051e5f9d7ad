import { RSA_KEYS, startOwnApp, type TestApp, type TestAppOptions } from '../../harness/app.js';

/**
 * Starts two instances of one service with one database, one PUBLIC_URL and an address each. The test closes
 * both.
 */
export async function twoInstances(
  options: Omit<TestAppOptions, 'database'> = {},
): Promise<[TestApp, TestApp]> {
  const environment = { ...RSA_KEYS, ...options.environment };
  const one = await startOwnApp({ ...options, database: 'own', environment });
  const other = await startOwnApp({
    ...options,
    database: { url: one.settings.DATABASE_URL as string },
    environment: { ...environment, PUBLIC_URL: one.url },
  });
  return [one, other];
}

/** The address on which an instance listens. */
export function addressOf({ settings }: Pick<TestApp, 'settings'>): string {
  return `http://127.0.0.1:${settings.PORT}`;
}
