import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { AccessTokens } from './auth/access-tokens/access-tokens.service.js';
import { Sessions } from './auth/sessions/sessions.service.js';
import { WebSessionTickets } from './auth/web-session/web-session-tickets.service.js';
import { Settings } from './config/settings.js';
import { Users } from './identity/users.service.js';
import type { Call } from './kernel/call.js';
import { Clock } from './kernel/clock.js';
import { platformCall } from './kernel/platform-call.js';
import { ApiKeyMint } from './orgs/api-keys/api-key-mint.service.js';
import { Joining } from './orgs/invites/joining.service.js';
import { Memberships } from './orgs/memberships/memberships.service.js';
import { Orgs } from './orgs/orgs.service.js';

/** The first credentials of a new database, as BOOTSTRAP_FILE holds them. Shown once. */
export interface FirstCredentials {
  readonly url: string;
  readonly orgSlug: string;
  readonly userId: string;
  readonly accessToken: string;
  readonly orgApiKey: string;
  readonly signInUrl: string;
}

const YEAR_MS = 365 * 86_400_000;
/** Held while looking whether the database is new: of two first starts at once, one makes the credentials. */
const FIRST_START_LOCK = 4_207_002;

/** Makes the first organization, its owner and their credentials on an empty database. */
@Injectable()
export class Bootstrap {
  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly settings: Settings,
    private readonly clock: Clock,
    private readonly users: Users,
    private readonly orgs: Orgs,
    private readonly memberships: Memberships,
    private readonly joining: Joining,
    private readonly keys: ApiKeyMint,
    private readonly tokens: AccessTokens,
    private readonly sessions: Sessions,
    private readonly tickets: WebSessionTickets,
  ) {}

  /** The first credentials, also written to BOOTSTRAP_FILE; undefined when the database is not new. */
  async run(): Promise<FirstCredentials | undefined> {
    const owner = this.owner();
    if (owner === undefined) return undefined;
    return this.source.transaction(async manager => {
      await manager.query('SELECT pg_advisory_xact_lock($1)', [FIRST_START_LOCK]);
      const [{ populated }] = await manager.query('SELECT EXISTS (SELECT FROM users) AS populated');
      if (populated) return undefined;
      const made = await this.create(manager, owner);
      this.keep(made);
      return made;
    });
  }

  /** A new one-time sign-in link for the owner of the first organization. */
  signInUrl(userId: string): Promise<string> {
    return this.source.transaction(manager => this.mintSignIn(manager, platformCall('cli'), userId));
  }

  /** Production names its first organization itself; elsewhere there is a default one. */
  private owner(): { org: string; email: string } | undefined {
    const { NODE_ENV, BOOTSTRAP_ORG, BOOTSTRAP_ADMIN_EMAIL } = this.settings;
    if (NODE_ENV !== 'production') {
      return { org: BOOTSTRAP_ORG ?? 'default', email: BOOTSTRAP_ADMIN_EMAIL ?? 'owner@localhost' };
    }
    if (BOOTSTRAP_ORG === undefined || BOOTSTRAP_ADMIN_EMAIL === undefined) return undefined;
    return { org: BOOTSTRAP_ORG, email: BOOTSTRAP_ADMIN_EMAIL };
  }

  private async create(
    manager: EntityManager,
    { org, email }: { org: string; email: string },
  ): Promise<FirstCredentials> {
    const system = platformCall('cli');
    const user = await this.users.create(manager, { email, emailVerified: true });
    await this.joining.claimInvitations(manager, system, user);
    await this.orgs.create(manager, system, { slug: org, name: org }, user.id);
    const memberships = await this.memberships.of(user.id, manager);
    const [membership] = memberships;
    if (membership === undefined) throw new Error('the owner is no member');
    const call: Call = {
      ...system,
      principal: { ...system.principal, type: 'user', id: user.id, memberships },
    };
    const year = new Date(this.clock.now().getTime() + YEAR_MS);
    const token = await this.tokens.mint(manager, call, {
      userId: user.id,
      name: 'first start',
      expiresAt: year,
    });
    const key = await this.keys.mint(manager, call, membership, {
      slug: 'first-start',
      name: 'First start',
      permissions: ['*'],
    });
    return {
      url: this.settings.PUBLIC_URL,
      orgSlug: org,
      userId: user.id,
      accessToken: token.token,
      orgApiKey: key.secret,
      signInUrl: await this.mintSignIn(manager, call, user.id),
    };
  }

  private async mintSignIn(manager: EntityManager, call: Call, userId: string): Promise<string> {
    const session = await this.sessions.open(manager, call, { userId });
    const { url } = await this.tickets.mint(
      manager,
      call,
      session,
      '/docs',
      this.settings.WEB_SESSION_TICKET_MAX_TTL,
    );
    return url;
  }

  /** Before the commit: a file that cannot be written leaves no credentials that nobody has seen. */
  private keep(credentials: FirstCredentials): void {
    const file = this.settings.BOOTSTRAP_FILE;
    if (file === undefined) return;
    const draft = `${file}.${process.pid}`;
    try {
      rmSync(draft, { force: true });
      writeFileSync(draft, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
      renameSync(draft, file);
    } catch (error) {
      throw new Error(`BOOTSTRAP_FILE cannot be written: ${(error as Error).message}`);
    }
  }
}
