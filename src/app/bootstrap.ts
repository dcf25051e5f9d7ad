import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { type Call, platformCall } from '../base/kernel/call.js';
import { Clock, DAY_MS } from '../base/kernel/clock.js';
import { invalid, PlatformError } from '../base/kernel/errors.js';
import { literal } from '../base/sql/index.js';
import { called } from '../cli/command.js';
import { AccessTokens } from '../features/auth/access-tokens/access-tokens.service.js';
import { Sessions } from '../features/auth/sessions/sessions.service.js';
import { WebSessionTickets } from '../features/auth/web-session/web-session-tickets.service.js';
import { User } from '../features/identity/identity.entity.js';
import { Users } from '../features/identity/users.service.js';
import { ApiKeyMint } from '../features/orgs/api-keys/api-key-mint.service.js';
import { Joining } from '../features/orgs/invites/joining.service.js';
import { Memberships } from '../features/orgs/members/memberships.service.js';
import { CreateOrgBody } from '../features/orgs/org.dto.js';
import { Orgs } from '../features/orgs/orgs.service.js';
import { Settings } from '../platform/config/settings.js';
import { LOCKS } from '../platform/database/advisory-locks.js';
import { Transactions } from '../platform/database/transactions.js';
import { validated } from '../platform/http/validation.pipe.js';

/** The first credentials of a new database, as BOOTSTRAP_FILE holds them. Shown once. */
export interface FirstCredentials {
  readonly url: string;
  readonly orgSlug: string;
  readonly userId: string;
  readonly accessToken: string;
  readonly orgApiKey: string;
  readonly signInUrl: string;
}

interface Owner {
  readonly org: string;
  readonly email: string;
}

const EMAIL = /^[^\s@]+@[^\s@]+$/;
const NOBODY_CAN_SIGN_IN = `There is no organization yet, so nobody can sign in. Either
  - set BOOTSTRAP_ORG and BOOTSTRAP_ADMIN_EMAIL (and BOOTSTRAP_FILE, so that no log gets the credentials), or
  - run: npm run cli -- bootstrap --org <slug> --email <address>
and start again.`;
const YEAR_MS = 365 * DAY_MS;

/** Creates the first organization, its owner and the owner's credentials in an empty database. */
@Injectable()
export class Bootstrap {
  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly transactions: Transactions,
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

  /**
   * The first credentials, also written to BOOTSTRAP_FILE. Undefined when the database is not new. Throws when there
   * would be no way to sign in.
   */
  async run(): Promise<FirstCredentials | undefined> {
    const owner = this.owner();
    if (owner === undefined) return this.assertEnterable();
    return this.locked(async manager => {
      if (await isPopulated(manager)) return undefined;
      return this.create(manager, owner);
    });
  }

  /**
   * Creates the first organization and its owner for the command line, even if users have already signed in. 409 when
   * there is an organization.
   */
  createFirst(owner: Owner): Promise<FirstCredentials> {
    return this.locked(async manager => {
      const [found] = await manager.query('SELECT slug FROM orgs WHERE deleted_at IS NULL LIMIT 1');
      if (found === undefined) return this.create(manager, owner);
      throw new PlatformError(
        'AlreadyExists',
        `There is an organization already: ${found.slug}. ${called('sign-in')} prints a sign-in link.`,
      );
    });
  }

  private locked<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.transactions.run({ lock: literal(LOCKS.firstStart) }, work);
  }

  /** Throws unless users can sign in: through an identity provider, or with the credentials of an owner. */
  private async assertEnterable(): Promise<undefined> {
    const { AUTH_PROVIDERS_FILE, PLATFORM_ROLES } = this.settings;
    if (AUTH_PROVIDERS_FILE.length > 0 || !PLATFORM_ROLES.includes('gateway')) return;
    if (!(await isPopulated(this.source.manager))) throw new Error(NOBODY_CAN_SIGN_IN);
  }

  /** A new one-time sign-in link for the owner of the first organization. */
  signInUrl(userId: string): Promise<string> {
    return this.transactions.run(manager => this.mintSignIn(manager, platformCall('cli'), userId));
  }

  /** The first organization and its owner. In production both come from the settings; elsewhere there are defaults. */
  private owner(): Owner | undefined {
    const { NODE_ENV, BOOTSTRAP_ORG, BOOTSTRAP_ADMIN_EMAIL } = this.settings;
    if (NODE_ENV !== 'production') {
      return { org: BOOTSTRAP_ORG ?? 'default', email: BOOTSTRAP_ADMIN_EMAIL ?? 'owner@localhost' };
    }
    if (BOOTSTRAP_ORG === undefined || BOOTSTRAP_ADMIN_EMAIL === undefined) return undefined;
    return { org: BOOTSTRAP_ORG, email: BOOTSTRAP_ADMIN_EMAIL };
  }

  private async create(manager: EntityManager, { org, email }: Owner): Promise<FirstCredentials> {
    const body = validated(CreateOrgBody, { slug: org, name: org });
    if (!EMAIL.test(email)) throw invalid('email: expects an e-mail address like admin@example.com');
    const system = platformCall('cli');
    const known = await this.users.findByEmail(email);
    const user = known ?? (await this.users.create(manager, { email, emailVerified: true }));
    await this.joining.claimInvitations(manager, system, user);
    await this.orgs.create(manager, system, body, user.id);
    const memberships = await this.memberships.of(user.id, manager);
    const membership = memberships.find(each => each.orgSlug === org);
    if (membership === undefined) throw new Error('the owner is no member');
    if (known === undefined) await manager.update(User, user.id, { homeOrgId: membership.orgId });
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
    const made = {
      url: this.settings.PUBLIC_URL,
      orgSlug: org,
      userId: user.id,
      accessToken: token.token,
      orgApiKey: key.secret,
      signInUrl: await this.mintSignIn(manager, call, user.id),
    };
    this.keep(made);
    return made;
  }

  private async mintSignIn(manager: EntityManager, call: Call, userId: string): Promise<string> {
    const session = await this.sessions.open(manager, call, { userId });
    const { url } = await this.tickets.mint(
      manager,
      call,
      session,
      this.firstPage(),
      this.settings.WEB_SESSION_TICKET_MAX_TTL,
    );
    return url;
  }

  /** Where a sign-in link leads. */
  private firstPage(): string {
    if (this.settings.CONSOLE === 'on') return '/console';
    return this.settings.DOCS === 'on' ? '/docs' : '/';
  }

  /** Runs before the commit, so that credentials are not lost if the file cannot be written. */
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

async function isPopulated(manager: EntityManager): Promise<boolean> {
  const [{ populated }] = await manager.query('SELECT EXISTS (SELECT FROM users) AS populated');
  return populated;
}
