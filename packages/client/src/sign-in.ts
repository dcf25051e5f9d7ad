import type { Schemas } from './api/operations.js';
import type { Transport } from './transport/transport.js';

/** Who signs in, and where. */
export interface EmailSignInOptions {
  readonly email: string;
  /** The organization to sign in to. It is active in the session. */
  readonly orgSlug?: string | undefined;
  /** Where the browser goes after the link of the mail was used. */
  readonly redirect?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A sign-in that has begun. If the address may sign in, a mail with the code is on its way. */
export interface EmailSignIn {
  readonly loginId: string;
  /** When the code ends. */
  readonly expiresAt: Date;
  /**
   * Completes the sign-in with the code of the mail. Resolves to the session, with its token. Throws an
   * `UnauthorizedError` for a wrong code and every other failure.
   */
  verify(code: string, options?: { readonly signal?: AbortSignal }): Promise<Schemas['EmailLoginView']>;
  /**
   * The same for a page of the service: the session is in a cookie that no script can read. Only in the browser that
   * began the sign-in.
   */
  verifyInPage(code: string, options?: { readonly signal?: AbortSignal }): Promise<Schemas['SignedInView']>;
}

/**
 * Signs a person in by a code that the service mails. The answer is the same for every address, so it does not tell who
 * has an account. A client with the session of an anonymous user signs that user in by name.
 */
export async function signInByEmail(
  client: { readonly transport: Pick<Transport, 'request'> },
  { email, orgSlug, redirect, signal }: EmailSignInOptions,
): Promise<EmailSignIn> {
  const { transport } = client;
  const begun = await transport.request<Schemas['StartedEmailLoginView']>({
    method: 'POST',
    path: '/v2/login/email',
    body: { email, orgSlug, redirect },
    signal,
  });
  const finish = <T>(path: string, code: string, stop: AbortSignal | undefined) =>
    transport.request<T>({ method: 'POST', path, body: { login_id: begun.login_id, code }, signal: stop });
  return {
    loginId: begun.login_id,
    expiresAt: new Date(begun.expires_at),
    verify: (code, options) => finish('/v2/login/email/verify', code, options?.signal),
    verifyInPage: (code, options) => finish('/v2/login/email/verify/session', code, options?.signal),
  };
}
