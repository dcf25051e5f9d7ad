import { Injectable } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { SeenShapes } from '../../features/advice/seen-shapes.service.js';
import { AccessTokens } from '../../features/auth/access-tokens/access-tokens.service.js';
import { StartedEmailLogins } from '../../features/auth/email-login/started-email-logins.service.js';
import { KeyRotation } from '../../features/auth/keys/key-rotation.service.js';
import { AnonymousUsers } from '../../features/auth/login/anonymous-users.service.js';
import { OidcPayloads } from '../../features/auth/oidc/oidc-payloads.service.js';
import { PasskeyChallenges } from '../../features/auth/passkeys/passkey-challenges.service.js';
import { RecoveryLinks } from '../../features/auth/recovery/recovery-links.service.js';
import { Sessions } from '../../features/auth/sessions/sessions.service.js';
import { ExchangedTokens } from '../../features/auth/token-exchange/exchanged-tokens.service.js';
import { WebSessionTickets } from '../../features/auth/web-session/web-session-tickets.service.js';
import { ChangePruning } from '../../features/changes/change-feeds.service.js';
import { FormerSearchIndexes } from '../../features/collections/schema/former-search-indexes.service.js';
import { IndexBuilds } from '../../features/collections/schema/index-builds.service.js';
import { OnlineChanges } from '../../features/collections/schema/online-changes.service.js';
import { TrashRemoval } from '../../features/collections/trash/trash-removal.service.js';
import { VersionPruning } from '../../features/history/version-pruning.service.js';
import { ExpiredApiKeys } from '../../features/orgs/api-keys/managed-api-keys.service.js';
import { DomainChecks } from '../../features/orgs/domains/domain-checks.service.js';
import { EndedInvites } from '../../features/orgs/invites/invites.service.js';
import { OrgRemoval } from '../../features/orgs/org-removal.service.js';
import { RecordExpiry } from '../../features/records/expiry.service.js';
import { AuditChains } from '../../platform/audit/audit-chains.service.js';
import { AuditCheckpoints } from '../../platform/audit/audit-checkpoints.service.js';
import { AuditPruning } from '../../platform/audit/audit-pruning.service.js';
import { SourceAttempts } from '../../platform/http/rate-limit/source-attempts.service.js';
import { StoredResponses } from '../../platform/idempotency/stored-responses.js';
import { MailOutbox } from '../../platform/mail/mail-outbox.service.js';
import { JobRunner } from './job-runner.js';

const UTC = 'UTC';

/**
 * All scheduled jobs of the service. A job takes its lock, calls one service method, and writes its counts to the log
 * and to `job_runs`. Jobs have different minutes, so that they do not run together. Rows that a job removes are already
 * invisible to clients, so a missed run costs only disk space until the next one.
 */
@Injectable()
export class Schedule {
  constructor(
    private readonly runner: JobRunner,
    private readonly rotation: KeyRotation,
    private readonly sessions: Sessions,
    private readonly tokens: AccessTokens,
    private readonly tickets: WebSessionTickets,
    private readonly challenges: PasskeyChallenges,
    private readonly recovery: RecoveryLinks,
    private readonly emailLogins: StartedEmailLogins,
    private readonly exchanged: ExchangedTokens,
    private readonly authorizations: OidcPayloads,
    private readonly anonymous: AnonymousUsers,
    private readonly apiKeys: ExpiredApiKeys,
    private readonly invites: EndedInvites,
    private readonly records: RecordExpiry,
    private readonly responses: StoredResponses,
    private readonly attempts: SourceAttempts,
    private readonly builds: IndexBuilds,
    private readonly formerSearch: FormerSearchIndexes,
    private readonly trash: TrashRemoval,
    private readonly orgs: OrgRemoval,
    private readonly onlineChanges: OnlineChanges,
    private readonly changes: ChangePruning,
    private readonly versions: VersionPruning,
    private readonly chains: AuditChains,
    private readonly checkpoints: AuditCheckpoints,
    private readonly events: AuditPruning,
    private readonly domains: DomainChecks,
    private readonly shapes: SeenShapes,
    private readonly mails: MailOutbox,
  ) {}

  /** Runs on every instance. The first one to get the lock of a killed job runs it again. */
  @Cron('15 * * * * *', { name: 'finish-killed-jobs', timeZone: UTC })
  async finishKilledJobs(): Promise<void> {
    for (const name of await this.runner.killed()) await this[methodOf(name)]?.();
  }

  /** Runs on every instance, because each has counted its own queries. */
  @Cron('*/30 * * * * *', { name: 'write-seen-queries', timeZone: UTC, waitForCompletion: true })
  async writeSeenQueries(): Promise<void> {
    await this.shapes.write();
  }

  /** Runs every minute because a key is published ten minutes before it starts to sign (spec 3.2). */
  @Cron('* * * * *', { name: 'rotate-signing-keys', timeZone: UTC })
  rotateSigningKeys(): Promise<void> {
    return this.runner.run('rotate-signing-keys', () => this.rotation.rotate());
  }

  @Cron('1 * * * *', { name: 'remove-signing-keys', timeZone: UTC })
  removeSigningKeys(): Promise<void> {
    return this.runner.run('remove-signing-keys', async () => ({
      removed: await this.rotation.removeExpired(),
    }));
  }

  @Cron('2-59/10 * * * *', { name: 'remove-expired-records', timeZone: UTC })
  removeExpiredRecords(): Promise<void> {
    return this.runner.run('remove-expired-records', signal => this.records.removeAll(signal));
  }

  @Cron('3-59/15 * * * *', { name: 'remove-expired-tickets', timeZone: UTC })
  removeExpiredTickets(): Promise<void> {
    return this.runner.run('remove-expired-tickets', async signal => ({
      removed: await this.tickets.removeExpired(signal),
      challenges: await this.challenges.removeExpired(signal),
      recovery_links: await this.recovery.removeExpired(signal),
      email_logins: await this.emailLogins.removeExpired(signal),
    }));
  }

  @Cron('4 * * * *', { name: 'remove-expired-sessions', timeZone: UTC })
  removeExpiredSessions(): Promise<void> {
    return this.runner.run('remove-expired-sessions', async signal => ({
      removed: await this.sessions.removeExpired(signal),
    }));
  }

  @Cron('11-59/15 * * * *', { name: 'remove-expired-authorizations', timeZone: UTC })
  removeExpiredAuthorizations(): Promise<void> {
    return this.runner.run('remove-expired-authorizations', signal =>
      this.authorizations.removeExpired(signal),
    );
  }

  @Cron('5 * * * *', { name: 'remove-expired-access-tokens', timeZone: UTC })
  removeExpiredAccessTokens(): Promise<void> {
    return this.runner.run('remove-expired-access-tokens', async signal => ({
      removed: await this.tokens.removeExpired(signal),
    }));
  }

  @Cron('6 * * * *', { name: 'remove-expired-api-keys', timeZone: UTC })
  removeExpiredApiKeys(): Promise<void> {
    return this.runner.run('remove-expired-api-keys', async signal => ({
      removed: await this.apiKeys.removeOld(signal),
    }));
  }

  @Cron('13 * * * *', { name: 'remove-ended-invites', timeZone: UTC })
  removeEndedInvites(): Promise<void> {
    return this.runner.run('remove-ended-invites', async signal => ({
      removed: await this.invites.removeOld(signal),
    }));
  }

  @Cron('10 * * * *', { name: 'remove-exchanged-tokens', timeZone: UTC })
  removeExchangedTokens(): Promise<void> {
    return this.runner.run('remove-exchanged-tokens', async signal => ({
      removed: await this.exchanged.removeExpired(signal),
    }));
  }

  @Cron('8 * * * *', { name: 'remove-stored-responses', timeZone: UTC })
  removeStoredResponses(): Promise<void> {
    return this.runner.run('remove-stored-responses', signal => this.responses.removeOld(signal));
  }

  @Cron('9 * * * *', { name: 'remove-counted-attempts', timeZone: UTC })
  removeCountedAttempts(): Promise<void> {
    return this.runner.run('remove-counted-attempts', async signal => ({
      removed: await this.attempts.removeExpired(signal),
    }));
  }

  @Cron('17 * * * *', { name: 'remove-deleted-collections', timeZone: UTC })
  removeDeletedCollections(): Promise<void> {
    return this.runner.run('remove-deleted-collections', signal => this.trash.removeDue(signal));
  }

  @Cron('18 * * * *', { name: 'remove-deleted-organizations', timeZone: UTC })
  removeDeletedOrganizations(): Promise<void> {
    return this.runner.run('remove-deleted-organizations', signal => this.orgs.removeDeleted(signal));
  }

  @Cron('14 * * * *', { name: 'remove-mails', timeZone: UTC })
  removeMails(): Promise<void> {
    return this.runner.run('remove-mails', async () => ({ removed: await this.mails.removeOld() }));
  }

  @Cron('12 * * * *', { name: 'remove-changes', timeZone: UTC })
  removeChanges(): Promise<void> {
    return this.runner.run('remove-changes', signal => this.changes.removeOld(signal));
  }

  @Cron('19 * * * *', { name: 'remove-versions', timeZone: UTC })
  removeVersions(): Promise<void> {
    return this.runner.run('remove-versions', signal => this.versions.removeOld(signal));
  }

  @Cron('4-59/5 * * * *', { name: 'link-audit-events', timeZone: UTC })
  linkAuditEvents(): Promise<void> {
    return this.runner.run('link-audit-events', signal => this.chains.extendAll(signal));
  }

  @Cron('16 2 * * *', { name: 'sign-audit-checkpoints', timeZone: UTC })
  signAuditCheckpoints(): Promise<void> {
    return this.runner.run('sign-audit-checkpoints', signal => this.checkpoints.signAll(signal));
  }

  @Cron('26 2 * * *', { name: 'remove-audit-events', timeZone: UTC })
  removeAuditEvents(): Promise<void> {
    return this.runner.run('remove-audit-events', signal => this.events.removeOld(signal));
  }

  @Cron('36 2 * * *', { name: 'check-domains', timeZone: UTC })
  checkDomains(): Promise<void> {
    return this.runner.run('check-domains', signal => this.domains.checkAll(signal));
  }

  @Cron('*/5 * * * *', { name: 'resume-index-builds', timeZone: UTC })
  resumeIndexBuilds(): Promise<void> {
    return this.runner.run('resume-index-builds', async () => {
      this.builds.resumeAbandoned();
      this.formerSearch.replaceSoon();
      this.onlineChanges.resumeInterrupted();
      return {};
    });
  }

  @Cron('46 2 * * *', { name: 'remove-seen-queries', timeZone: UTC })
  removeSeenQueries(): Promise<void> {
    return this.runner.run('remove-seen-queries', async signal => ({
      removed: await this.shapes.removeOld(signal),
    }));
  }

  @Cron('7 3 * * *', { name: 'remove-idle-anonymous-users', timeZone: UTC })
  removeIdleAnonymousUsers(): Promise<void> {
    return this.runner.run('remove-idle-anonymous-users', async signal => ({
      removed: await this.anonymous.removeIdle(signal),
    }));
  }
}

type Job = Exclude<keyof Schedule, 'finishKilledJobs' | 'writeSeenQueries'>;

/** The method of a job: `removeChanges` for `remove-changes`. Jobs of other versions may have no method here. */
function methodOf(name: string): Job {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase()) as Job;
}
