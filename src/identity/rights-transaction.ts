import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { CredentialChanges } from './credential-changes.js';

/** A transaction that may change what somebody may do; its end is announced before the caller goes on. */
@Injectable()
export class RightsTransaction {
  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly changes: CredentialChanges,
  ) {}

  async run<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    const result = await this.source.transaction(work);
    this.changes.announce();
    return result;
  }
}
