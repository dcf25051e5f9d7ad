import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';
import { onTestFinished } from 'vitest';
import {
  DEFAULT_MAPPING,
  DEFAULT_SCOPES,
  type Provider,
} from '../../../src/features/orgs/sso/sso-provider.entity.js';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A signing key of a provider. */
export interface TestKey {
  readonly publicJwk: JWK;
  sign(claims: JWTPayload, header?: Record<string, unknown>): Promise<string>;
}

/** Generating an RSA key is slow, so all tests of a file share one. */
export async function newTestKey(kid: string, alg = 'ES256'): Promise<TestKey> {
  const { publicKey, privateKey } = await generateKeyPair(alg);
  const publicJwk = { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' };
  const sign = (claims: JWTPayload, header = {}) =>
    new SignJWT(claims).setProtectedHeader({ alg, kid, typ: 'JWT', ...header }).sign(privateKey);
  return { publicJwk, sign };
}

/** An identity provider on loopback whose responses a test can change. */
export interface TestProvider {
  readonly issuer: string;
  /** `host:port`, for OUTBOUND_ALLOW_INSECURE_HOSTS. */
  readonly host: string;
  /** The requested paths. */
  readonly requests: string[];
  /** The keys that `/jwks` publishes. */
  keys: unknown[];
  /** Fields that replace or extend the discovery document. */
  discovery: object;
  /** Replaces every response. */
  answer: Answer | undefined;
  close(): Promise<void>;
}

export async function startProvider(): Promise<TestProvider> {
  const server = createServer((request, response) => {
    provider.requests.push(request.url as string);
    if (provider.answer !== undefined) return provider.answer(request, response);
    const documents: Record<string, object> = {
      '/jwks': { keys: provider.keys },
      '/.well-known/openid-configuration': { ...discovery(provider.issuer), ...provider.discovery },
    };
    const document = documents[request.url as string];
    response.writeHead(document === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(document ?? {}));
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = async () => {
    server.closeAllConnections();
    await new Promise(resolve => server.close(resolve));
  };
  const provider: TestProvider = {
    ...{ issuer: `http://${host}`, host, requests: [], keys: [], discovery: {}, answer: undefined },
    close,
  };
  onTestFinished(close);
  return provider;
}

function discovery(issuer: string): object {
  return {
    issuer,
    authorization_endpoint: `${issuer}/auth`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
  };
}

/** The provider as an entry of AUTH_PROVIDERS_FILE. */
export function configured({ issuer }: Pick<TestProvider, 'issuer'>, config: object = {}): Provider {
  return {
    ...{
      id: 'file:test',
      slug: 'test',
      name: 'Test',
      type: 'oidc',
      origin: 'file',
      enabled: true,
      domains: [],
      ownRedirectUri: false,
    },
    config: { issuer, client_id: 'us', scopes: DEFAULT_SCOPES, allowTokenExchange: true, ...config },
    attributesMapping: DEFAULT_MAPPING,
  };
}
