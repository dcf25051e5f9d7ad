import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Repository } from 'typeorm';
import type { Call } from '../../../base/kernel/call.js';
import { render } from '../../../base/sql/index.js';
import { AuditLog } from '../../../platform/audit/audit-log.js';
import { SettingsError } from '../../../platform/config/load-settings.js';
import { Secrets, sealedBy } from '../../../platform/config/secrets.js';
import { Transactions } from '../../../platform/database/transactions.js';
import { responsesTable } from '../../../platform/idempotency/stored-responses.js';
import { MasterKey } from './keys.entity.js';

/**
 * Compares SECRETS_MASTER_KEYS with the database at every start. Hashes cannot be recomputed when a master key is
 * replaced, so the pepper of a replaced key stays in the database, encrypted with its successor.
 */
@Injectable()
export class MasterKeys implements OnModuleInit {
  constructor(
    @InjectRepository(MasterKey) private readonly rows: Repository<MasterKey>,
    private readonly secrets: Secrets,
  ) {}

  /** Runs before anything is decrypted or hashed. Stops the start when a key is missing or differs. */
  async onModuleInit(): Promise<void> {
    const known = await this.openAll();
    const unknown = this.secrets.names.filter(name => !known.includes(name));
    // Only now, so that a start with a wrong key leaves nothing in the database that needs that key.
    await this.register(unknown);
    if (unknown.length > 0) await this.openAll();
  }

  /** Returns the names of the keys that the database knows. */
  private async openAll(): Promise<string[]> {
    const rows = await this.rows.find({ order: { name: 'ASC' } });
    const problems = rows.flatMap(row => this.open(row));
    if (problems.length > 0) throw new SettingsError(problems);
    return rows.map(({ name }) => name);
  }

  private async register(names: readonly string[]): Promise<void> {
    for (const name of names) {
      const pepper = this.secrets.pepper(name) as Buffer;
      const sealedPepper = this.secrets.encrypt(pepper.toString('base64url'), `master-key.${name}`);
      // Two instances may start for the first time at once; the second one uses the row of the first.
      await this.rows.createQueryBuilder().insert().values({ name, sealedPepper }).orIgnore().execute();
    }
  }

  /** Makes the hashes of the key verifiable. Returns problems of the settings. */
  private open({ name, sealedPepper }: MasterKey): string[] {
    const sealer = sealedBy(sealedPepper);
    if (!this.secrets.names.includes(sealer)) {
      return [
        `SECRETS_MASTER_KEYS does not contain the key ${sealer}, which encrypts secrets in the database. Add it at the end, run npm run cli -- secrets reencrypt, then remove it`,
      ];
    }
    const pepper = this.unsealed(name, sealedPepper);
    const configured = this.secrets.pepper(name);
    if (pepper === undefined || (configured !== undefined && !configured.equals(pepper))) {
      return [
        `SECRETS_MASTER_KEYS has a key named ${name} that differs from the key of this name that this database was used with. Give a new key a new name`,
      ];
    }
    this.secrets.recognise(name, pepper);
    return [];
  }

  private unsealed(name: string, sealedPepper: string): Buffer | undefined {
    try {
      return Buffer.from(this.secrets.decrypt(sealedPepper, `master-key.${name}`), 'base64url');
    } catch {
      return undefined;
    }
  }
}

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
  { table: 'mail_outbox', column: 'sealed', associated: `'mail:' || id` },
  { table: 'email_logins', column: 'sealed', associated: `'email-login:' || id` },
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
