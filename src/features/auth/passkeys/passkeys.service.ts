import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Response } from 'express';
import { type EntityManager, Repository } from 'typeorm';
import type { Call } from '../../../base/kernel/call.js';
import { Clock } from '../../../base/kernel/clock.js';
import { PlatformError } from '../../../base/kernel/errors.js';
import { isUuid, newId } from '../../../base/kernel/id.js';
import { unlessTaken } from '../../../base/kernel/sql-state.js';
import { type AuditEntry, AuditLog } from '../../../platform/audit/audit-log.js';
import { Transactions } from '../../../platform/database/transactions.js';
import { offsetOf, type Page } from '../../../platform/http/list-page.js';
import { callOf, type PlatformRequest } from '../../../platform/http/platform-request.js';
import { Users } from '../../identity/users.service.js';
import { lockUser } from '../federated/federated-profiles.service.js';
import { unauthorized } from '../sent-credential.js';
import { FIRST_PARTY_CLIENT } from '../sessions/jwt.js';
import { Sessions } from '../sessions/sessions.service.js';
import { type CeremonyOptions, type CreatedPasskey, PasskeyCeremonies } from './ceremonies.service.js';
import type { CreatedCredentialBody } from './passkey.dto.js';
import { Passkey } from './passkey.entity.js';

/** Passkeys of one person. */
const MAX_PASSKEYS = 50;
/** A session of at most this age may register a passkey. */
const FRESH_MS = 600_000;

const DEFAULT_NAME = 'Passkey';

/** The passkeys of people. */
@Injectable()
export class Passkeys {
  constructor(
    @InjectRepository(Passkey) private readonly passkeys: Repository<Passkey>,
    private readonly ceremonies: PasskeyCeremonies,
    private readonly users: Users,
    private readonly sessions: Sessions,
    private readonly transactions: Transactions,
    private readonly clock: Clock,
    private readonly audit: AuditLog,
  ) {}

  /** Starts to register a passkey for the caller. Throws 403 when the sign-in of the caller is not recent. */
  async start(request: PlatformRequest, response: Response): Promise<CeremonyOptions> {
    this.ceremonies.assertOn();
    const call = callOf(request);
    await this.assertRecent(call);
    const user = await this.users.find(call.principal.id);
    if (user === undefined) throw unauthorized();
    const known = await this.passkeys.findBy({ userId: user.id });
    const fullName = [user.firstName, user.lastName].filter(part => part !== null).join(' ');
    const owner = {
      id: user.id,
      name: user.email ?? (fullName || user.id),
      displayName: fullName || (user.email ?? ''),
    };
    const started = { purpose: 'registration', userId: user.id } as const;
    return this.ceremonies.startCreation(request, response, started, owner, known);
  }

  /** Registers the passkey that the authenticator has created. 400 for a response to another ceremony. */
  async finish(request: PlatformRequest, body: CreatedCredentialBody): Promise<Passkey> {
    const call = callOf(request);
    await this.assertRecent(call);
    const { id: userId } = call.principal;
    const { ceremony, passkey } = await this.ceremonies.created(request, 'registration', body);
    if (ceremony.userId !== userId) {
      throw new PlatformError('Forbidden', 'Another person started this registration. Start again.');
    }
    return this.transactions.run(async manager => {
      const user = await lockUser(manager, { id: userId });
      if (user?.status !== 'active') throw unauthorized();
      if ((await manager.countBy(Passkey, { userId })) >= MAX_PASSKEYS) {
        throw new PlatformError('Conflict', `A person has at most ${MAX_PASSKEYS} passkeys. Delete one.`);
      }
      return this.insert(manager, call, userId, passkey, body.name);
    });
  }

  /** Stores a new passkey of a person in the caller's transaction. 409 when the credential is registered already. */
  async insert(
    manager: EntityManager,
    call: Call,
    userId: string,
    created: CreatedPasskey,
    name = DEFAULT_NAME,
  ): Promise<Passkey> {
    const createdAt = this.clock.now();
    const passkey = manager.create(Passkey, { ...created, id: newId(), userId, name, createdAt });
    await unlessTaken(manager.insert(Passkey, passkey), 'This passkey is registered already.');
    await this.record(manager, call, 'passkeys.created', passkey, { after: { userId, name } });
    return passkey;
  }

  /** The caller's passkeys, newest first. */
  list({ principal }: Call, page: Page): Promise<[Passkey[], number]> {
    return this.passkeys.findAndCount({
      where: { userId: principal.id },
      order: { createdAt: 'DESC', id: 'DESC' },
      skip: offsetOf(page),
      take: page.limit,
    });
  }

  /** 404 for a passkey of another person. */
  rename(call: Call, id: string, name: string): Promise<Passkey> {
    return this.transactions.run(async manager => {
      const passkey = await this.locked(manager, call, id);
      await manager.update(Passkey, { id }, { name });
      const changes = { before: { name: passkey.name }, after: { name } };
      await this.record(manager, call, 'passkeys.updated', passkey, changes);
      return Object.assign(passkey, { name });
    });
  }

  /** Deletes a passkey and ends the sessions that it began. 404 for a passkey of another person. */
  delete(call: Call, id: string): Promise<void> {
    return this.transactions.run(async manager => {
      // The lock makes sign-ins with the passkey wait, so that none of their sessions is missed.
      const passkey = await this.locked(manager, call, id);
      await this.sessions.revokeOfPasskey(manager, call, id);
      await manager.delete(Passkey, { id });
      await this.record(manager, call, 'passkeys.deleted', passkey, { before: { name: passkey.name } });
    });
  }

  /**
   * Throws 403 unless the caller has signed in recently: otherwise a stolen session could get a passkey, which outlives
   * it. Signing in again, also with a passkey, opens such a session.
   */
  private async assertRecent({ principal }: Call): Promise<void> {
    if (principal.anonymous) {
      throw new PlatformError('Forbidden', 'An anonymous user cannot register a passkey. Sign in first.');
    }
    const session = await this.sessions.findAlive(principal.sessionId ?? '');
    if (session === null) throw unauthorized();
    const age = this.clock.now().getTime() - session.createdAt.getTime();
    if (session.clientId === FIRST_PARTY_CLIENT && age < FRESH_MS) return;
    throw new PlatformError(
      'Forbidden',
      'Registering a passkey needs a sign-in to this platform in the last 10 minutes. Sign in again.',
    );
  }

  private async locked(manager: EntityManager, { principal }: Call, id: string): Promise<Passkey> {
    const which = { id, userId: principal.id };
    const lock = { mode: 'pessimistic_write' } as const;
    const passkey = isUuid(id) ? await manager.findOne(Passkey, { where: which, lock }) : null;
    if (passkey === null) throw new PlatformError('NotFound', `There is no passkey ${id}.`);
    return passkey;
  }

  private record(
    manager: EntityManager,
    call: Call,
    type: string,
    { id }: Passkey,
    changes: NonNullable<AuditEntry['changes']>,
  ): Promise<void> {
    return this.audit.record(manager, call, undefined, { type, target: { type: 'passkey', id }, changes });
  }
}
