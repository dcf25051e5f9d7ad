import { createHash, randomBytes } from 'node:crypto';
import { CliError } from '../exit.js';
import type { Credential } from '../profiles/profiles.js';

/** The public client that every service has by default. */
export const CLIENT_ID = 'typed-collections-cli';
export const SCOPE = 'platform offline_access';

/** The addresses of an authorization server that a sign-in uses (RFC 8414, RFC 8628). */
export interface Endpoints {
  readonly issuer: string;
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
  readonly revocation_endpoint: string;
  readonly device_authorization_endpoint?: string;
}

/** A profile stays locked during a sign-in request, so it ends before the lock is taken for stale. */
const TIMEOUT_MS = 20_000;

interface OAuthError {
  readonly error: string;
  readonly error_description?: string;
}

/** A refusal of the authorization server. `code` is the error of the standard. */
export class OAuthRefusal extends CliError {
  constructor(
    readonly code: string,
    description = code,
  ) {
    super(`The service refused the sign-in: ${description}.`, 1, 'Run: tcol login');
  }
}

/** Reads where the service signs people in. */
export async function endpointsOf(url: string): Promise<Endpoints> {
  const address = `${url}/.well-known/oauth-authorization-server`;
  let answer: Response;
  try {
    answer = await fetch(address, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  } catch (error) {
    throw new CliError(`${url} cannot be reached: ${reasonOf(error)}.`, 1, 'Check the address.');
  }
  if (!answer.ok)
    throw new CliError(`${url} is not a Typed Collections service: ${address} answered ${answer.status}.`);
  return (await answer.json()) as Endpoints;
}

/** The text of a random secret, and its challenge (RFC 7636, S256). */
export function pkce(): { readonly verifier: string; readonly challenge: string } {
  const verifier = randomText();
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

export function randomText(): string {
  return randomBytes(32).toString('base64url');
}

/** Sends a form to an endpoint. Throws an `OAuthRefusal` for its errors. */
export async function sendForm<T>(endpoint: string, fields: Readonly<Record<string, string>>): Promise<T> {
  let answer: Response;
  try {
    answer = await fetch(endpoint, {
      method: 'POST',
      body: new URLSearchParams({ client_id: CLIENT_ID, ...fields }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
  } catch (error) {
    throw new CliError(`${new URL(endpoint).origin} cannot be reached: ${reasonOf(error)}.`);
  }
  const text = await answer.text();
  if (answer.ok) return (text === '' ? undefined : JSON.parse(text)) as T;
  throw refusalOf(text, answer.status);
}

/** Gets tokens for a grant. */
export async function tokensFor(
  endpoint: string,
  grant: Readonly<Record<string, string>>,
): Promise<Credential> {
  const tokens = await sendForm<{ access_token: string; refresh_token?: string; expires_in: number }>(
    endpoint,
    grant,
  );
  return {
    type: 'oauth',
    accessToken: tokens.access_token,
    refreshToken: tokens.refresh_token,
    expiresAt: Date.now() + tokens.expires_in * 1000,
  };
}

function refusalOf(text: string, status: number): CliError {
  try {
    const { error, error_description, message } = JSON.parse(text) as OAuthError & { message?: string };
    return new OAuthRefusal(error, message ?? error_description);
  } catch {
    return new CliError(`The authorization server answered ${status}.`);
  }
}

function reasonOf(error: unknown): string {
  const { cause, message } = error as Error;
  const { code, message: inner } = (cause ?? {}) as NodeJS.ErrnoException;
  return code ?? inner ?? message;
}
