import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { AuditLog } from '../../audit/audit-log.js';
import { Secrets } from '../../config/secrets.js';
import { Transactions } from '../../database/transactions.js';
import { responsesTable } from '../../idempotency/stored-responses.js';
import type { Call } from '../../kernel/call.js';
import { render } from '../../sql/index.js';

/** A column of texts that `Secrets.encrypt` made. `associated` is SQL for the associated data of the encryption. */
export interface SealedColumn {
  readonly table: string;
  readonly column: string;
  readonly associated: string;
  /** SQL condition for the rows with encrypted texts; all that are not null, if absent. */
  readonly where?: string;
}

/** All such columns in the tables of the platform. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  { table: 'signing_keys', column: 'sealed_private_jwk', associated: `kid || '.' || algorithm` },
  { table: 'sso_providers', column: 'sealed_secret', associated: `'sso-provider:' || id` },
  { table: 'webhooks', column: 'sealed_secret', associated: `'webhook:' || id` },
  { table: 'webhooks', column: 'sealed_previous_secret', associated: `'webhook:' || id` },
  { table: 'oidc_payloads', column: 'payload', associated: `'oidc.' || id_hash` },
  { table: 'audit_keys', column: 'sealed_private_jwk', associated: `'audit-key.' || kid` },
  { table: 'master_keys', column: 'sealed_pepper', associated: `'master-key.' || name` },
];

/** Such columns in the schema of an organization. */
function sealedColumnsOf(orgId: string): readonly SealedColumn[] {
  const associated = `'answer ${orgId} ' || caller || ' ' || key`;
  return [{ table: render(responsesTable(orgId)).text, column: 'answer', associated, where: 'sealed' }];
}

/** The result of a re-encryption. */
export interface Reencrypted {
  readonly count: number;
  /** The name of the master key that encrypts everything now. */
  readonly name: string;
}

/** Encrypts all secrets with the first master key, so that the other master keys can be removed. */
@Injectable()
export class Reencryption {
  constructor(
    private readonly transactions: Transactions,
    private readonly secrets: Secrets,
    private readonly audit: AuditLog,
  ) {}

  /** Runs in one transaction. Throws when a text was encrypted with a key that is not configured. */
  reencrypt(call: Call): Promise<Reencrypted> {
    const name = this.secrets.names[0] as string;
    return this.transactions.run(async manager => {
      const orgs: { id: string }[] = await manager.query('SELECT id FROM orgs WHERE deleted_at IS NULL');
      let count = 0;
      for (const column of [...SEALED_COLUMNS, ...orgs.flatMap(({ id }) => sealedColumnsOf(id))]) {
        count += await this.reencryptColumn(manager, column, name);
      }
      const event = { type: 'secrets.reencrypted', target: { type: 'masterkey', id: name }, count };
      if (count > 0) await this.audit.record(manager, call, undefined, event);
      return { count, name };
    });
  }

  private async reencryptColumn(manager: EntityManager, sealed: SealedColumn, name: string): Promise<number> {
    const { table, column, associated, where = 'true' } = sealed;
    // A locked row does not move, so its ctid identifies it until the transaction ends.
    const rows: { place: string; text: string; associated: string }[] = await manager.query(
      `SELECT ctid::text AS place, ${column} AS text, ${associated} AS associated FROM ${table}
       WHERE ${where} AND ${column} IS NOT NULL AND NOT starts_with(${column}, $1) FOR UPDATE`,
      [`${name}.`],
    );
    for (const row of rows) {
      const text = this.secrets.encrypt(this.secrets.decrypt(row.text, row.associated), row.associated);
      await manager.query(`UPDATE ${table} SET ${column} = $2 WHERE ctid = $1::tid`, [row.place, text]);
    }
    return rows.length;
  }
}
