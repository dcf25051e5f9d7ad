import { randomBytes, randomInt } from 'node:crypto';
import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { CookieOptions, Response } from 'express';
import { And, type EntityManager, In, IsNull, LessThan, MoreThan, Repository } from 'typeorm';
import { Clock } from '../../../base/kernel/clock.js';
import { PlatformError } from '../../../base/kernel/errors.js';
import { Secrets } from '../../../platform/config/secrets.js';
import { Settings } from '../../../platform/config/settings.js';
import { Repeating } from '../../../platform/database/repeating.js';
import { Transactions } from '../../../platform/database/transactions.js';
import type { PlatformRequest } from '../../../platform/http/platform-request.js';
import { type Language, languageOf } from '../../../platform/http/request-language.js';
import { nameInMail } from '../../../platform/mail/mail.js';
import { MailOutbox } from '../../../platform/mail/mail-outbox.service.js';
import { Pruning } from '../../identity/pruning.js';
import { onlyCookie } from '../cookies.js';
import { allowedRedirect } from '../web-session/redirect-target.js';
import type { StartEmailLoginBody, StartedEmailLoginView } from './email-login.dto.js';
import { EmailLogin, sealedLoginFor } from './email-login.entity.js';
import { EmailLoginAdmission } from './email-login-admission.service.js';
import { loginMail } from './email-login-mail.js';

/** What somebody asked for. */
export interface EmailLoginRequest {
  readonly email: string;
  readonly orgSlug?: string | undefined;
  readonly language: Language;
  /** An absolute URL that is allowed. */
  readonly redirect?: string | undefined;
}

const EMAIL_LOGIN_SECONDS = 600;
const EMAIL_LINK_PATH = '/v2/login/email/link';
const COOKIE = 'email-login';
const COOKIE_PATH = '/v2/login/email';
/** 256 bits in base64url. */
const BROWSER = /^[A-Za-z0-9_-]{43}$/;
/** The letters of the codes of the device flow (RFC 8628, 6.1). */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';
/** Pause between looks for sign-ins that a killed instance left undecided, and their least age. */
const LOOK_EVERY_MS = 5_000;
const LEFT_MS = 10_000;
const MOST_AT_ONCE = 20;
/** Sign-ins that an instance remembers. Beyond that they are found by looking for them. */
const MOST_FRESH = 1_000;

/**
 * Begins sign-ins by e-mail. A request only writes a row, the same for every address. Whether a mail is sent is decided
 * afterwards, so neither the response nor its time says who has an account.
 */
@Injectable()
export class StartedEmailLogins implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(StartedEmailLogins.name);
  private readonly loop = new Repeating('deciding sign-ins by e-mail', () => this.decideAll());
  /** Sign-ins that this instance has to decide. */
  private fresh: string[] = [];

  constructor(
    @InjectRepository(EmailLogin) private readonly logins: Repository<EmailLogin>,
    private readonly admission: EmailLoginAdmission,
    private readonly outbox: MailOutbox,
    private readonly transactions: Transactions,
    private readonly pruning: Pruning,
    private readonly secrets: Secrets,
    private readonly settings: Settings,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    if (this.admission.mode !== 'off') this.loop.wake();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.loop.stop();
  }

  /** 403 where nobody can sign in by e-mail. */
  async start(
    request: PlatformRequest,
    response: Response,
    { email, orgSlug, redirect }: StartEmailLoginBody,
  ): Promise<StartedEmailLoginView> {
    if (this.admission.mode === 'off')
      throw new PlatformError(
        'Forbidden',
        'Sign-in by e-mail is off on this installation. Sign in another way.',
      );
    const wanted: EmailLoginRequest = {
      email,
      orgSlug,
      language: languageOf(request as never),
      redirect: redirect === undefined ? undefined : allowedRedirect(redirect, this.settings),
    };
    const id = randomBytes(16).toString('base64url');
    const createdAt = this.clock.now();
    const expiresAt = new Date(createdAt.getTime() + EMAIL_LOGIN_SECONDS * 1000);
    await this.logins.insert({
      id,
      sealed: this.secrets.encrypt(JSON.stringify(wanted), sealedLoginFor(id)),
      browserHash: this.secrets.hash(this.browser(request, response)),
      createdAt,
      expiresAt,
    });
    if (this.fresh.length < MOST_FRESH) this.fresh.push(id);
    this.loop.wake();
    return { login_id: id, expires_at: expiresAt.toISOString() };
  }

  /** Hashes under which the browser of a request may be known; none without the cookie. */
  browserHashes({ headers }: Pick<PlatformRequest, 'headers'>): string[] {
    const sent = onlyCookie(headers, COOKIE);
    return sent === undefined || !BROWSER.test(sent) ? [] : this.secrets.hashes(sent);
  }

  /** The sign-in of the link of a mail; null unless it can still be used. */
  ofLink(link: string): Promise<EmailLogin | null> {
    return this.logins.findOneBy({
      linkHash: In(this.secrets.hashes(linkText(link))),
      usedAt: IsNull(),
      expiresAt: MoreThan(this.clock.now()),
    });
  }

  opened({ id, sealed }: Pick<EmailLogin, 'id' | 'sealed'>): EmailLoginRequest {
    return JSON.parse(this.secrets.decrypt(sealed, sealedLoginFor(id)));
  }

  /** True if the code is the one of the mail. */
  isCode({ id, codeHash }: Pick<EmailLogin, 'id' | 'codeHash'>, code: string): boolean {
    const hashes = this.secrets.hashes(codeText(id, code.toUpperCase().replace(/[\s-]/g, '')));
    return codeHash !== null && hashes.includes(codeHash);
  }

  /** Removes expired sign-ins. Returns their number. */
  removeExpired(signal?: AbortSignal): Promise<number> {
    const expired = { entity: EmailLogin, time: 'expiresAt', before: this.clock.now() } as const;
    return this.pruning.remove(expired, signal);
  }

  /** The secret of the browser, in a cookie that all its sign-ins share. */
  private browser({ headers }: PlatformRequest, response: Response): string {
    const sent = onlyCookie(headers, COOKIE);
    const secret = sent !== undefined && BROWSER.test(sent) ? sent : randomBytes(32).toString('base64url');
    const options: CookieOptions = {
      httpOnly: true,
      sameSite: 'strict',
      path: COOKIE_PATH,
      secure: this.settings.PUBLIC_URL.startsWith('https:'),
      maxAge: EMAIL_LOGIN_SECONDS * 1000,
    };
    response.cookie(COOKIE, secret, options);
    return secret;
  }

  private async decideAll(): Promise<number> {
    const fresh = this.fresh.splice(0, MOST_AT_ONCE);
    const ids = fresh.length > 0 ? fresh : await this.left();
    for (const id of ids) {
      await this.transactions
        .run(manager => this.decide(manager, id))
        .catch((error: Error) => {
          this.logger.warn(`the sign-in by e-mail ${id} was not decided: ${error.message}`);
        });
    }
    return this.fresh.length > 0 ? 0 : LOOK_EVERY_MS;
  }

  /** Sign-ins that were begun a while ago and are undecided. */
  private async left(): Promise<string[]> {
    const now = this.clock.now().getTime();
    const begun = And(
      MoreThan(new Date(now - EMAIL_LOGIN_SECONDS * 1000)),
      LessThan(new Date(now - LEFT_MS)),
    );
    const rows = await this.logins.find({
      select: { id: true },
      where: { decidedAt: IsNull(), createdAt: begun },
      order: { createdAt: 'ASC' },
      take: MOST_AT_ONCE,
    });
    return rows.map(({ id }) => id);
  }

  /** Adds the mail, if the address may sign in. Of several instances, the first one decides. */
  private async decide(manager: EntityManager, id: string): Promise<void> {
    const lock = { mode: 'pessimistic_write', onLocked: 'skip_locked' } as const;
    const login = await manager.findOne(EmailLogin, { where: { id, decidedAt: IsNull() }, lock });
    if (login === null) return;
    const mailed = await this.mail(manager, login);
    await manager.update(EmailLogin, id, { decidedAt: this.clock.now(), ...mailed });
  }

  /** The hashes of the secrets that were mailed; undefined if no mail is sent. */
  private async mail(
    manager: EntityManager,
    login: EmailLogin,
  ): Promise<Pick<EmailLogin, 'codeHash' | 'linkHash'> | undefined> {
    const { email, orgSlug, language } = this.opened(login);
    if (!(await this.admission.admits(manager, email, orgSlug))) return undefined;
    const org = orgSlug === undefined ? undefined : await this.admission.org(manager, orgSlug);
    const code = Array.from({ length: 8 }, () => LETTERS[randomInt(LETTERS.length)]).join('');
    const link = randomBytes(16).toString('base64url');
    const text = {
      to: email,
      code: `${code.slice(0, 4)}-${code.slice(4)}`,
      link: `${this.settings.PUBLIC_URL}${EMAIL_LINK_PATH}#${link}`,
      at: org === undefined ? new URL(this.settings.PUBLIC_URL).hostname : nameInMail(org.name),
    };
    const left = (login.expiresAt.getTime() - this.clock.now().getTime()) / 1000;
    if (!(await this.outbox.add(manager, loginMail(text, language, left)))) return undefined;
    return {
      codeHash: this.secrets.hash(codeText(login.id, code)),
      linkHash: this.secrets.hash(linkText(link)),
    };
  }
}

/** What the hash of a code is made of, so that a code belongs to one sign-in. */
function codeText(id: string, code: string): string {
  return `email-code ${id} ${code}`;
}

function linkText(link: string): string {
  return `email-link ${link}`;
}
