import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { AdapterPayload } from 'oidc-provider';
import { DataSource } from 'typeorm';
import { AuditLog } from '../../../audit/audit-log.js';
import { Settings } from '../../../config/settings.js';
import { Clock } from '../../../kernel/clock.js';
import { OidcPayloads } from '../adapter/oidc-payloads.service.js';
import { currentCall } from '../current-call.js';

const DAY_MS = 86_400_000;
const KIND = 'Client';

/** Clients that registered themselves (RFC 7591): third parties, forgotten when nobody uses them. */
@Injectable()
export class RegisteredClients {
  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly payloads: OidcPayloads,
    private readonly audit: AuditLog,
    private readonly settings: Settings,
    private readonly clock: Clock,
  ) {}

  async register(id: string, metadata: AdapterPayload): Promise<void> {
    await this.source.transaction(async manager => {
      const expiresAt = this.forgottenAt();
      await this.payloads.keep(manager, { kind: KIND, id, payload: metadata, grantId: undefined, expiresAt });
      const { client_name: name, redirect_uris } = metadata;
      await this.audit.record(manager, currentCall(), undefined, {
        type: 'clients.registered',
        target: { type: 'client', id, ...(name !== undefined && { name }) },
        changes: { after: { redirect_uris } },
      });
    });
  }

  /** Notes the use, once a day at most. */
  async find(id: string): Promise<AdapterPayload | undefined> {
    const kept = await this.payloads.find(KIND, id);
    if (kept === undefined) return undefined;
    const forgottenAt = this.forgottenAt();
    if (forgottenAt.getTime() - kept.expiresAt.getTime() > DAY_MS) {
      await this.payloads.prolong(kept.idHash, forgottenAt);
    }
    // What oidc-provider keeps of a client is its metadata alone.
    const { jti: _id, ...metadata } = kept.payload;
    return metadata;
  }

  private forgottenAt(): Date {
    return new Date(this.clock.now().getTime() + this.settings.OIDC_CLIENT_MAX_IDLE_DAYS * DAY_MS);
  }
}
