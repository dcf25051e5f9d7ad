import type { IncomingHttpHeaders } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { CookieOptions, Response } from 'express';
import { Secrets } from '../../config/secrets.js';
import { Settings } from '../../config/settings.js';
import { Clock } from '../../kernel/clock.js';

/** A login that a browser has begun at a provider: what its callback must match. */
export interface PendingLogin {
  readonly providerId: string;
  readonly providerSlug: string;
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
  /** Absolute and allowed. */
  readonly redirect: string;
  /** The session in which it was begun. */
  readonly sessionId?: string | undefined;
}

export const CALLBACK_PATH = '/v2/login/callback';

/** Time to sign in at the provider. */
const SECONDS = 600;
/** 256 bits in base64url. */
const STATE = /^[A-Za-z0-9_-]{43}$/;
/** What the cookie is encrypted for: no other ciphertext of ours opens as one. */
const PURPOSE = 'pending-login';

/** Keeps begun logins in the browsers that began them, sealed. One cookie each: tabs do not disturb each other. */
@Injectable()
export class PendingLogins {
  constructor(
    private readonly secrets: Secrets,
    private readonly settings: Settings,
    private readonly clock: Clock,
  ) {}

  keep(response: Response, login: PendingLogin): void {
    const expiresAt = this.clock.seconds() + SECONDS;
    const sealed = this.secrets.encrypt(JSON.stringify({ ...login, expiresAt }), PURPOSE);
    response.cookie(nameOf(login.state), sealed, { ...this.options(), maxAge: SECONDS * 1000 });
  }

  /** The login that this browser began with the state, once; undefined for anything else. */
  take(headers: IncomingHttpHeaders, response: Response, state: string): PendingLogin | undefined {
    if (!STATE.test(state)) return undefined;
    const sealed = cookieOf(headers, nameOf(state));
    if (sealed === undefined) return undefined;
    response.clearCookie(nameOf(state), this.options());
    const login = this.open(sealed);
    return login?.state === state && login.expiresAt > this.clock.seconds() ? login : undefined;
  }

  private open(sealed: string): (PendingLogin & { readonly expiresAt: number }) | undefined {
    try {
      return JSON.parse(this.secrets.decrypt(sealed, PURPOSE));
    } catch {
      return undefined;
    }
  }

  /** Lax: the browser comes back from another site, by a link. */
  private options(): CookieOptions {
    const secure = this.settings.PUBLIC_URL.startsWith('https:');
    return { httpOnly: true, sameSite: 'lax', path: CALLBACK_PATH, secure };
  }
}

function nameOf(state: string): string {
  return `login-${state.slice(0, 16)}`;
}

/** Undefined when the cookie is there twice: one of them is of another origin that shares the host name. */
function cookieOf({ cookie = '' }: IncomingHttpHeaders, name: string): string | undefined {
  const values = cookie
    .split(';')
    .map(pair => pair.trim())
    .filter(pair => pair.startsWith(`${name}=`));
  return values.length === 1 ? values[0]?.slice(name.length + 1) : undefined;
}
