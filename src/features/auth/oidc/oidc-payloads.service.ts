import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { AdapterPayload } from 'oidc-provider';
import { DataSource, type EntityManager, In, Not } from 'typeorm';
import { Clock } from '../../../base/kernel/clock.js';
import { Secrets } from '../../../platform/config/secrets.js';
import { outlived, Pruning } from '../../identity/pruning.js';
import { OidcPayload } from './oidc-payload.entity.js';

/** A stored object of oidc-provider. */
export interface KeptPayload {
  readonly idHash: string;
  readonly payload: AdapterPayload;
  readonly expiresAt: Date;
}

export interface NewPayload {
  readonly kind: string;
  readonly id: string;
  readonly payload: AdapterPayload;
  readonly grantId: string | undefined;
  readonly expiresAt: Date;
}

/** An object of a grant is found only while the session of the grant lives. */
const LIVE = `
  SELECT p.id_hash, p.payload, p.consumed_at, p.expires_at
  FROM oidc_payloads p LEFT JOIN sessions s ON s.id = p.grant_id
  WHERE p.expires_at > $2 AND (p.grant_id IS NULL OR (s.revoked_at IS NULL AND s.expires_at > $2))`;

const OF_IDS = `${LIVE} AND p.id_hash = ANY ($1)`;

/** Deletes the rows whose hash was made with an older pepper: otherwise there would be two rows for one object. */
const KEEP = `
  WITH older AS (DELETE FROM oidc_payloads WHERE id_hash = ANY ($7))
  INSERT INTO oidc_payloads (id_hash, kind, payload, grant_id, uid_hash, expires_at)
  VALUES ($1, $2, $3, $4, $5, $6)
  ON CONFLICT (id_hash) DO UPDATE SET payload = excluded.payload, grant_id = excluded.grant_id,
    uid_hash = excluded.uid_hash, expires_at = excluded.expires_at`;

interface Row {
  readonly id_hash: string;
  readonly payload: string;
  readonly consumed_at: Date | null;
  readonly expires_at: Date;
}

/**
 * Stores the objects of oidc-provider. Ids are stored as hashes and contents are encrypted, so that nobody can use a
 * code, refresh token or cookie that they read in the database.
 */
@Injectable()
export class OidcPayloads {
  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly secrets: Secrets,
    private readonly clock: Clock,
    private readonly pruning: Pruning,
  ) {}

  /** Finds an object by its id, unless it has expired or its grant has ended. */
  find(kind: string, id: string): Promise<KeptPayload | undefined> {
    return this.findBy('p.id_hash', this.hashes(kind, id), id);
  }

  /** Finds a browser session or a device code by its second id. The payload of a browser session has no `jti`. */
  findByUid(kind: string, uid: string): Promise<KeptPayload | undefined> {
    return this.findBy('p.uid_hash', this.hashes(kind, uid), undefined);
  }

  /** The objects of these ids that have not ended, by id. */
  async findAll(kind: string, ids: readonly string[]): Promise<ReadonlyMap<string, AdapterPayload>> {
    const idOf = new Map(ids.flatMap(id => this.hashes(kind, id).map(hash => [hash, id] as const)));
    const values = [[...idOf.keys()], this.clock.now()];
    const rows: Row[] = ids.length === 0 ? [] : await this.source.query(OF_IDS, values);
    return new Map(rows.map(row => [idOf.get(row.id_hash) as string, this.opened(row)]));
  }

  /** Stores an object. Replaces the one with the same id. */
  async keep(manager: EntityManager, { kind, id, payload, grantId, expiresAt }: NewPayload): Promise<void> {
    const [idHash, ...older] = this.hashes(kind, id) as [string, ...string[]];
    const { jti: _id, ...rest } = payload;
    const { userCode } = payload;
    const secondId = payload.uid ?? userCode;
    const uidHash = secondId === undefined ? null : this.secrets.hash(named(kind, secondId));
    // A device code that was found by its user code is stored again under its own id.
    const content = userCode === undefined ? rest : payload;
    const sealed = this.secrets.encrypt(JSON.stringify(content), sealedFor(idHash));
    await manager.query(KEEP, [idHash, kind, sealed, grantId ?? null, uidHash, expiresAt, older]);
  }

  /** Marks an object as used. Exactly one of several concurrent calls returns true. */
  async consume(kind: string, id: string): Promise<boolean> {
    const [, consumed] = await this.source.query(
      'UPDATE oidc_payloads SET consumed_at = $2 WHERE id_hash = ANY ($1) AND consumed_at IS NULL',
      [this.hashes(kind, id), this.clock.now()],
    );
    return consumed === 1;
  }

  async forget(kind: string, id: string): Promise<void> {
    await this.source.manager.delete(OidcPayload, { idHash: In(this.hashes(kind, id)) });
  }

  async forgetOfGrant(kind: string, grantId: string): Promise<void> {
    await this.source.manager.delete(OidcPayload, { kind, grantId });
  }

  async prolong(idHash: string, expiresAt: Date): Promise<void> {
    await this.source.manager.update(OidcPayload, { idHash }, { expiresAt });
  }

  /** Removes expired objects, clients among them. */
  async removeExpired(signal?: AbortSignal): Promise<{ removed: number; clients: number }> {
    const expired = { entity: OidcPayload, time: 'expiresAt', before: this.clock.now() } as const;
    const others = { ...expired, which: { kind: Not('Client') }, event: outlived('authorizations') };
    // The others first: a batch of clients reads all of them that have expired.
    const removed = await this.pruning.remove(others, signal);
    const clients = { ...expired, which: { kind: 'Client' }, event: outlived('clients') };
    return { removed, clients: await this.pruning.remove(clients, signal) };
  }

  private async findBy(
    column: 'p.id_hash' | 'p.uid_hash',
    hashes: readonly string[],
    jti: string | undefined,
  ): Promise<KeptPayload | undefined> {
    const values = [hashes, this.clock.now()];
    const [row]: Row[] = await this.source.query(`${LIVE} AND ${column} = ANY ($1)`, values);
    if (row === undefined) return undefined;
    const payload = this.opened(row);
    if (row.consumed_at !== null) payload.consumed = Math.floor(row.consumed_at.getTime() / 1000);
    return {
      idHash: row.id_hash,
      expiresAt: row.expires_at,
      payload: jti === undefined ? payload : { ...payload, jti },
    };
  }

  private opened(row: Row): AdapterPayload {
    return JSON.parse(this.secrets.decrypt(row.payload, sealedFor(row.id_hash)));
  }

  private hashes(kind: string, id: string): string[] {
    return this.secrets.hashes(named(kind, id));
  }
}

function named(kind: string, id: string): string {
  return `${kind} ${id}`;
}

/** The associated data of the encryption. It binds a payload to its row, so that it cannot be copied into another row. */
function sealedFor(idHash: string): string {
  return `oidc.${idHash}`;
}
