import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { testPort } from '../../harness/port.js';
import { finderOf, markOf, secretsShown } from '../../harness/secrets-in-use.js';
import type { Cluster } from './cluster.js';
import { type Instance, type Running, startInstance } from './instance.js';

/** The instances of one service, and a method to call them. */
export interface Service {
  readonly instances: readonly [Instance, Instance];
  readonly urls: readonly string[];
  readonly key: string;
  /** A session of the administrator, who owns the organization of the key. */
  readonly token: string;
  /** Secrets that must not appear in a log. */
  readonly secrets: string[];
  /** Sends one request with the key, or with another credential. Throws unless a complete answer arrives. */
  call(instance: Instance, method: string, path: string, sent?: Sent): Promise<Answer>;
  /** Stops the instances, checks that only killed ones had exited before, and searches their logs for secrets. */
  end(): Promise<void>;
}

interface Sent {
  readonly body?: unknown;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status: number;
  readonly retryAfter: string | null;
  // biome-ignore lint/suspicious/noExplicitAny: the fields depend on the answer
  readonly body: any;
  readonly text: string;
}

export interface Differing {
  readonly databaseUrl?: string;
  readonly nodeFlags?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

/** The longest wait for an answer. A later answer counts as wrong, not as a dropped connection. */
const ANSWER_WITHIN_MS = 45_000;

/** Starts two instances on an empty database. `differing` contains the settings that only one of them has. */
export async function startService(
  cluster: Cluster,
  differing: readonly [Differing, Differing] = [{}, {}],
): Promise<Service> {
  const directory = await mkdtemp(join(tmpdir(), 'typed-collections-faults-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const masterKey = randomBytes(32).toString('base64');
  const bootstrapFile = join(directory, 'bootstrap.json');
  const ports = [await testPort(), await testPort()] as const;
  const common = {
    PUBLIC_URL: `http://127.0.0.1:${ports[0]}`,
    SECRETS_MASTER_KEYS: `faults:${masterKey}`,
    BOOTSTRAP_FILE: bootstrapFile,
    RATE_LIMITS: 'off',
  };
  const start = (which: 0 | 1) =>
    startInstance(differing[which].nodeFlags ?? [], {
      ...common,
      ...differing[which].environment,
      PORT: String(ports[which]),
      DATABASE_URL: differing[which].databaseUrl ?? cluster.url,
    });
  const instances = await Promise.all([start(0), start(1)]);
  const bootstrap = await readFile(bootstrapFile, 'utf8');
  const { orgApiKey: key, accessToken: token }: Record<string, string> = JSON.parse(bootstrap);
  if (key === undefined || token === undefined) throw new Error('the bootstrap file lacks a credential');
  const secrets = [cluster.password, masterKey, key, ...secretsShown(bootstrap)];
  return {
    instances,
    urls: instances.map(({ url }) => url),
    key,
    token,
    secrets,
    call: (instance, method, path, sent = {}) => call(`${instance.url}${path}`, method, key, sent),
    end: () => end(instances, secrets),
  };
}

async function call(url: string, method: string, key: string, sent: Sent): Promise<Answer> {
  const response = await fetch(url, {
    method,
    redirect: 'manual',
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    headers: {
      ...(sent.token === undefined
        ? { 'x-platform-api-key': key }
        : { authorization: `Bearer ${sent.token}` }),
      ...(sent.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...sent.headers,
    },
    ...(sent.body === undefined ? {} : { body: JSON.stringify(sent.body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  return {
    status: response.status,
    retryAfter: response.headers.get('retry-after'),
    body: isJson ? JSON.parse(text) : undefined,
    text,
  };
}

async function end(instances: readonly Running[], secrets: readonly string[]): Promise<void> {
  const ended = instances.filter(instance => !instance.alive() && !instance.killed);
  expect(ended.map(instance => instance.log().slice(-4_000))).toEqual([]);
  for (const instance of instances) expect(await instance.stop()).toBe(instance.killed ? null : 0);
  const marks = new Set(secrets.map(markOf).filter(mark => mark !== undefined));
  expect(marks.size).toBeGreaterThan(3);
  for (const instance of instances) {
    expect(instance.log()).not.toBe('');
    expect(finderOf(marks)(instance.log()).size, 'secrets in a log').toBe(0);
  }
}
