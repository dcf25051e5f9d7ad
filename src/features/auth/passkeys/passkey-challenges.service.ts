import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { CookieOptions, Response } from 'express';
import { Repository } from 'typeorm';
import { Clock } from '../../../base/kernel/clock.js';
import { Secrets } from '../../../platform/config/secrets.js';
import { Settings } from '../../../platform/config/settings.js';
import type { PlatformRequest } from '../../../platform/http/platform-request.js';
import { Pruning } from '../../identity/pruning.js';
import { onlyCookie } from '../cookies.js';
import { PasskeyChallenge } from './passkey.entity.js';

/** Seconds within which the person must confirm with the passkey. */
export const CHALLENGE_SECONDS = 300;
/** The cookie that binds challenges to a browser. One cookie serves all tabs. */
const COOKIE = 'passkey-browser';
/** 256 bits in base64url. */
const FORM = /^[A-Za-z0-9_-]{43}$/;

/** What a ceremony was started for. */
export type StartedCeremony = Pick<PasskeyChallenge, 'purpose'> &
  Partial<Pick<PasskeyChallenge, 'userId' | 'inviteId' | 'name'>>;

/** A ceremony that a browser has started and completes now. */
export type Ceremony = Pick<PasskeyChallenge, 'userId' | 'inviteId' | 'name'>;

/**
 * The challenges of WebAuthn ceremonies. They are in the database, so that one instance can start a ceremony and another
 * one complete it.
 */
@Injectable()
export class PasskeyChallenges {
  constructor(
    @InjectRepository(PasskeyChallenge) private readonly challenges: Repository<PasskeyChallenge>,
    private readonly secrets: Secrets,
    private readonly settings: Settings,
    private readonly clock: Clock,
    private readonly pruning: Pruning,
  ) {}

  /** A new challenge for the browser of this request. */
  async start(request: PlatformRequest, response: Response, started: StartedCeremony): Promise<string> {
    const browser = browserOf(request) ?? secret();
    const challenge = secret();
    await this.challenges.insert({
      userId: null,
      inviteId: null,
      name: null,
      ...started,
      challenge,
      browserHash: this.secrets.hash(browser),
      expiresAt: new Date(this.clock.now().getTime() + CHALLENGE_SECONDS * 1000),
    });
    response.cookie(COOKIE, browser, this.cookieOptions());
    return challenge;
  }

  /**
   * The ceremony that this browser has started with this challenge; undefined when there is none or it has expired. A
   * challenge can be taken once, whatever happens next. Concurrent calls get it once.
   */
  async take(
    request: PlatformRequest,
    purpose: PasskeyChallenge['purpose'],
    challenge: string,
  ): Promise<Ceremony | undefined> {
    const browser = browserOf(request);
    if (browser === undefined || !FORM.test(challenge)) return undefined;
    const [[taken]] = await this.challenges.query(
      `DELETE FROM passkey_challenges WHERE challenge = $1 AND purpose = $2 AND browser_hash = ANY ($3)
       RETURNING user_id AS "userId", invite_id AS "inviteId", name, expires_at > $4 AS "isAlive"`,
      [challenge, purpose, this.secrets.hashes(browser), this.clock.now()],
    );
    return taken?.isAlive ? taken : undefined;
  }

  /** Removes expired challenges. They are not audited, because nothing happened with them. */
  removeExpired(signal?: AbortSignal): Promise<number> {
    const before = this.clock.now();
    return this.pruning.remove({ entity: PasskeyChallenge, time: 'expiresAt', before }, signal);
  }

  private cookieOptions(): CookieOptions {
    return {
      httpOnly: true,
      sameSite: 'strict',
      path: '/v2',
      secure: this.settings.PUBLIC_URL.startsWith('https:'),
      maxAge: CHALLENGE_SECONDS * 1000,
    };
  }
}

function browserOf({ headers }: PlatformRequest): string | undefined {
  const value = onlyCookie(headers, COOKIE);
  return value !== undefined && FORM.test(value) ? value : undefined;
}

function secret(): string {
  return randomBytes(32).toString('base64url');
}
