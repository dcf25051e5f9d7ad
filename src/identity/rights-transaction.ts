import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import {
  DataSource,
  type EntityManager,
  type EntityTarget,
  type FindOptionsWhere,
  type ObjectLiteral,
} from 'typeorm';
import { AuditLog } from '../audit/audit-log.js';
import { platformCall } from '../kernel/call.js';
import { type ChangedIds, changedIds } from '../kernel/id.js';

type Listener = (changed: ChangedIds) => void;

/**
 * Tells the listeners of this process at once when rights or credentials were changed by this process. Other processes
 * hear it through NOTIFY, some milliseconds later.
 */
@Injectable()
export class CredentialChanges {
  private readonly listeners: Listener[] = [];

  subscribe(listener: Listener): void {
    this.listeners.push(listener);
  }

  announce(changed: ChangedIds): void {
    for (const listener of this.listeners) listener(changed);
  }
}

/** Runs transactions that may change rights or credentials. It announces the changes before the caller continues. */
@Injectable()
export class RightsTransaction {
  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly changes: CredentialChanges,
  ) {}

  async run<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    const { result, changes } = await this.source.transaction(async manager => ({
      result: await work(manager),
      changes: await announced(manager),
    }));
    for (const payload of changes) this.changes.announce(changedIds(payload));
    return result;
  }
}

/** The payloads that triggers have sent by NOTIFY in this transaction, for other processes. */
async function announced(manager: EntityManager): Promise<string[]> {
  const [{ changes }] = await manager.query(`SELECT current_setting('platform.changes', true) AS changes`);
  return changes ? changes.split('\n') : [];
}

/** Removes expired rows, with one audit event for all of them. */
@Injectable()
export class Pruning {
  constructor(
    private readonly rights: RightsTransaction,
    private readonly audit: AuditLog,
  ) {}

  /** Returns the number of removed rows. The event is `<resource>.removed`. */
  remove<E extends ObjectLiteral>(
    entity: EntityTarget<E>,
    which: FindOptionsWhere<E>,
    resource: string,
  ): Promise<number> {
    return this.rights.run(async manager => {
      const count = (await manager.delete(entity, which)).affected ?? 0;
      const event = { type: `${resource}.removed`, target: { type: resource, id: 'outlived' }, count };
      if (count > 0) await this.audit.record(manager, platformCall('job'), undefined, event);
      return count;
    });
  }
}
