import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { AdapterPayload } from 'oidc-provider';
import { DataSource } from 'typeorm';
import { AuditLog } from '../../../audit/audit-log.js';
import { Settings } from '../../../config/settings.js';
import { Clock } from '../../../kernel/clock.js';
import { OidcPayloads } from '../oidc-payloads.service.js';
import { currentCall } from '../provider-requests.js';

const DAY_MS = 86_400_000;
const KIND = 'Client';

/** Third-party clients that registered themselves (RFC 7591). Unused clients are pruned. */
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

  /** Finds a client and extends its life, at most once a day. */
  async find(id: string): Promise<AdapterPayload | undefined> {
    const kept = await this.payloads.find(KIND, id);
    if (kept === undefined) return undefined;
    const forgottenAt = this.forgottenAt();
    if (forgottenAt.getTime() - kept.expiresAt.getTime() > DAY_MS) {
      await this.payloads.prolong(kept.idHash, forgottenAt);
    }
    // oidc-provider expects the metadata only, without the id of the row.
    const { jti: _id, ...metadata } = kept.payload;
    return metadata;
  }

  private forgottenAt(): Date {
    return new Date(this.clock.now().getTime() + this.settings.OIDC_CLIENT_MAX_IDLE_DAYS * DAY_MS);
  }
}
