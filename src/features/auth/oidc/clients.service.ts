import { Injectable } from '@nestjs/common';
import type { AdapterPayload, Client, ClientMetadata } from 'oidc-provider';
import { Clock, DAY_MS } from '../../../base/kernel/clock.js';
import { AuditLog } from '../../../platform/audit/audit-log.js';
import { SettingsError } from '../../../platform/config/load-settings.js';
import { Settings } from '../../../platform/config/settings.js';
import { Transactions } from '../../../platform/database/transactions.js';
import { FIRST_PARTY_CLIENT } from '../sessions/jwt.js';
import { DEVICE_CODE_GRANT } from './metadata/discovery.js';
import { OidcPayloads } from './oidc-payloads.service.js';
import { currentCall } from './provider-requests.js';

/** The command line. Programs on a person's machine cannot keep a secret, and may listen on any port (RFC 8252). */
const COMMAND_LINE: ClientMetadata = {
  client_id: 'typed-collections-cli',
  client_name: 'Typed Collections CLI',
  application_type: 'native',
  token_endpoint_auth_method: 'none',
  redirect_uris: ['http://127.0.0.1/', 'http://[::1]/', 'http://localhost/'],
  grant_types: ['authorization_code', 'refresh_token', DEVICE_CODE_GRANT],
};

/** The platform's own OAuth clients: itself, its command line and those of OIDC_CLIENTS_FILE. All others are third parties. */
@Injectable()
export class OwnClients {
  /** The clients of the file with their metadata (RFC 7591, section 2). */
  readonly configured: readonly ClientMetadata[];
  /** All clients with metadata. An entry of the file replaces the command line if it has the same id. */
  readonly metadata: readonly ClientMetadata[];
  private readonly ids: ReadonlySet<string>;

  constructor({ OIDC_CLIENTS_FILE }: Settings) {
    const ids = OIDC_CLIENTS_FILE.map(ownId);
    const problems = ids.flatMap((id, index) => problemOf(id, ids.indexOf(id) < index, index));
    if (problems.length > 0) throw new SettingsError(problems);
    this.configured = OIDC_CLIENTS_FILE.map(entry => withDefaults(entry as ClientMetadata));
    const builtIn = ids.includes(COMMAND_LINE.client_id) ? [] : [COMMAND_LINE];
    this.metadata = [...builtIn, ...this.configured];
    this.ids = new Set([FIRST_PARTY_CLIENT, ...this.metadata.map(({ client_id }) => client_id)]);
  }

  has(clientId: string): boolean {
    return this.ids.has(clientId);
  }
}

function ownId(entry: unknown): unknown {
  return (entry as { client_id?: unknown } | null)?.client_id;
}

/** A client_id that is a URL would mean a client metadata document; `platform` means the platform itself. */
function problemOf(id: unknown, twice: boolean, index: number): string[] {
  const entry = `OIDC_CLIENTS_FILE entry ${index + 1}`;
  if (typeof id !== 'string' || !/^[A-Za-z0-9._-]{1,64}$/.test(id)) {
    return [`${entry}: client_id expects 1 to 64 of A-Z a-z 0-9 . _ -`];
  }
  if (id === FIRST_PARTY_CLIENT) return [`${entry}: client_id ${id} is the platform's own`];
  return twice ? [`${entry}: client_id ${id} is in the file twice`] : [];
}

/** A client without a secret is a public client. */
function withDefaults(client: ClientMetadata): ClientMetadata {
  return client.client_secret === undefined ? { token_endpoint_auth_method: 'none', ...client } : client;
}

const MAX_LENGTH = 100;

/** The name of a client as people see it. Clients choose their names, so it is cut to one line, without invisible characters. */
export function displayName({ clientName, clientId }: Pick<Client, 'clientName' | 'clientId'>): string {
  const visible = (clientName ?? '').replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '').trim();
  return (visible === '' ? clientId : visible).slice(0, MAX_LENGTH);
}

const KIND = 'Client';

/** Third-party clients that registered themselves (RFC 7591). Unused clients are pruned. */
@Injectable()
export class RegisteredClients {
  constructor(
    private readonly transactions: Transactions,
    private readonly payloads: OidcPayloads,
    private readonly audit: AuditLog,
    private readonly settings: Settings,
    private readonly clock: Clock,
  ) {}

  async register(id: string, metadata: AdapterPayload): Promise<void> {
    await this.transactions.run(async manager => {
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
