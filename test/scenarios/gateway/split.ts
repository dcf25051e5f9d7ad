import type { Clock } from '../../../src/base/kernel/clock.js';
import { startOwnApp, type TestApp } from '../../harness/app.js';
import { testDatabaseUrl } from '../../harness/database.js';
import { testPort } from '../../harness/port.js';

/** The platform in two processes, as an operator runs it: one database, one public address. */
export interface Split {
  readonly gateway: TestApp;
  readonly runtime: TestApp;
  close(): Promise<void>;
}

export interface SplitOptions {
  readonly environment?: Readonly<Record<string, string>>;
  readonly ofGateway?: Readonly<Record<string, string>>;
  readonly ofRuntime?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
}

export async function startSplit({
  environment,
  ofGateway,
  ofRuntime,
  clock,
}: SplitOptions = {}): Promise<Split> {
  const database = { url: await testDatabaseUrl() };
  const [gatewayPort, runtimePort] = [await testPort(), await testPort()].map(String) as [string, string];
  const common = {
    PUBLIC_URL: `http://127.0.0.1:${gatewayPort}`,
    RUNTIME_URL: `http://127.0.0.1:${runtimePort}`,
    ...environment,
  };
  const gateway = await startOwnApp({
    database,
    clock,
    environment: { ...common, PLATFORM_ROLES: 'gateway', PORT: gatewayPort, ...ofGateway },
  });
  const runtime = await startOwnApp({
    database,
    clock,
    environment: {
      ...common,
      PLATFORM_ROLES: 'runtime',
      PORT: runtimePort,
      TRUSTED_PROXIES: '127.0.0.1',
      ...ofRuntime,
    },
  });
  const close = async () => {
    await gateway.close();
    await runtime.close();
  };
  return { gateway, runtime, close };
}
