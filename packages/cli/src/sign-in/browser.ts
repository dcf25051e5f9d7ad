import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CliError } from '../exit.js';
import type { Credential } from '../profiles/profiles.js';
import { CLIENT_ID, type Endpoints, OAuthRefusal, pkce, randomText, SCOPE, tokensFor } from './oauth.js';

const WAIT_MS = 5 * 60_000;

export interface BrowserSignIn {
  /** Shows the address to the person and opens it. */
  readonly open: (address: string) => void;
  readonly signal: AbortSignal;
}

/** Signs in through a browser on this machine: authorization code with PKCE, redirected to a port of this process (RFC 8252). */
export async function signInWithBrowser(
  endpoints: Endpoints,
  { open, signal }: BrowserSignIn,
): Promise<Credential> {
  const { verifier, challenge } = pkce();
  const state = randomText();
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const redirect_uri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  try {
    const query = new URLSearchParams({
      ...{ client_id: CLIENT_ID, response_type: 'code', redirect_uri, scope: SCOPE, state },
      ...{ code_challenge: challenge, code_challenge_method: 'S256' },
    });
    const code = redirectTo(server, state, AbortSignal.any([signal, AbortSignal.timeout(WAIT_MS)]));
    open(`${endpoints.authorization_endpoint}?${query}`);
    const grant = {
      grant_type: 'authorization_code',
      code: await code,
      redirect_uri,
      code_verifier: verifier,
    };
    return await tokensFor(endpoints.token_endpoint, grant);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

/** The code that the browser brings back. Requests without our state are not answers to this sign-in, and are ignored. */
function redirectTo(
  server: ReturnType<typeof createServer>,
  state: string,
  signal: AbortSignal,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      const { name } = signal.reason as Error;
      reject(name === 'TimeoutError' ? new CliError('Nobody signed in within 5 minutes.') : signal.reason);
    };
    signal.addEventListener('abort', abort, { once: true });
    server.on('request', ({ url = '/' }, response) => {
      const answer = new URL(url, 'http://127.0.0.1').searchParams;
      if (answer.get('state') !== state) return page(response, 404, 'There is nothing here.');
      const code = answer.get('code');
      if (code === null) {
        page(response, 200, 'The sign-in was refused. You can close this page.');
        reject(
          new OAuthRefusal(answer.get('error') ?? 'no code', answer.get('error_description') ?? undefined),
        );
      } else {
        page(response, 200, 'You are signed in. You can close this page and go back to your terminal.');
        resolve(code);
      }
    });
  });
}

function page(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'",
    connection: 'close',
  });
  response.end(`<!DOCTYPE html><html lang="en"><title>Typed Collections</title><p>${text}</p></html>`);
}
