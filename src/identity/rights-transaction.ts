import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { changedIds } from '../kernel/changed-ids.js';
import { CredentialChanges } from './credential-changes.js';

/** A transaction that may change what somebody may do; what it changed is announced before the caller goes on. */
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

/** The payloads that the triggers have announced in this transaction: the same that other instances hear. */
async function announced(manager: EntityManager): Promise<string[]> {
  const [{ changes }] = await manager.query(`SELECT current_setting('platform.changes', true) AS changes`);
  return changes ? changes.split('\n') : [];
}
