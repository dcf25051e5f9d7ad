import { type Adapter, type AdapterPayload, errors } from 'oidc-provider';
import type { EntityManager } from 'typeorm';
import { sqlState } from '../../../../base/kernel/sql-state.js';
import type { SessionJwts } from '../../sessions/session-jwts.service.js';
import type { RegisteredClients } from '../clients.service.js';
import type { Grants } from '../interactions/grants.service.js';
import type { OidcPayloads } from '../oidc-payloads.service.js';
import { tokenOfHandle } from '../provider-requests.js';

/** SQLSTATE of a grant whose session was deleted in the meantime. */
const FOREIGN_KEY_VIOLATION = '23503';

/** Stores the objects of one model of oidc-provider in the rows of `OidcPayloads`. */
export class PayloadAdapter implements Adapter {
  constructor(
    private readonly kind: string,
    private readonly payloads: OidcPayloads,
    private readonly grants: Grants,
    private readonly manager: EntityManager,
    private readonly now: () => Date,
  ) {}

  async upsert(id: string, payload: AdapterPayload, expiresIn: number): Promise<void> {
    const expiresAt = new Date(this.now().getTime() + expiresIn * 1000);
    // A grant and its session have the same id.
    const grantId = this.kind === 'Grant' ? id : payload.grantId;
    const kept = this.payloads.keep(this.manager, { kind: this.kind, id, payload, grantId, expiresAt });
    await kept.catch(error => {
      throw sqlState(error) === FOREIGN_KEY_VIOLATION ? new errors.InvalidGrant('grant not found') : error;
    });
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    return (await this.payloads.find(this.kind, id))?.payload;
  }

  async findByUid(uid: string): Promise<AdapterPayload | undefined> {
    return (await this.payloads.findByUid(this.kind, uid))?.payload;
  }

  /** Finds a device code by the user code of the device flow. */
  async findByUserCode(userCode: string): Promise<AdapterPayload | undefined> {
    return (await this.payloads.findByUid(this.kind, userCode))?.payload;
  }

  /** A second use of a code or refresh token ends the grant, even when both uses arrive together (RFC 9700, 4.14). */
  async consume(id: string): Promise<void> {
    if (await this.payloads.consume(this.kind, id)) return;
    const grantId = (await this.find(id))?.grantId;
    if (grantId !== undefined) await this.grants.end(grantId);
    throw new errors.InvalidGrant('already used');
  }

  async destroy(id: string): Promise<void> {
    if (this.kind === 'Grant') await this.grants.end(id);
    await this.payloads.forget(this.kind, id);
  }

  revokeByGrantId(grantId: string): Promise<void> {
    return this.payloads.forgetOfGrant(this.kind, grantId);
  }
}

/** Stores the clients that registered themselves. They are registered and found; unused ones are pruned. */
export class ClientAdapter implements Adapter {
  constructor(private readonly clients: RegisteredClients) {}

  upsert(id: string, metadata: AdapterPayload): Promise<void> {
    return this.clients.register(id, metadata);
  }

  find(id: string): Promise<AdapterPayload | undefined> {
    return this.clients.find(id);
  }

  destroy = unsupported;
  findByUid = unsupported;
  findByUserCode = unsupported;
  consume = unsupported;
  revokeByGrantId = unsupported;
}

/** Registrations cannot be managed (RFC 7592 is not offered). */
async function unsupported(): Promise<never> {
  throw new Error('clients can only be registered and found');
}

/** Finds access tokens. None is stored: a valid JWT contains everything that oidc-provider asks for. */
export class IssuedTokenAdapter implements Adapter {
  constructor(private readonly jwts: SessionJwts) {}

  async find(handle: string): Promise<AdapterPayload | undefined> {
    const token = tokenOfHandle(handle);
    const claims = token && (await this.jwts.verify(token).catch(() => undefined));
    if (!claims) return undefined;
    const { platformSessionId: grantId, client_id: clientId, sub: accountId, aud, ...rest } = claims;
    const { jti, iat, exp, scope } = rest;
    return { kind: 'AccessToken', grantId, clientId, accountId, jti, iat, exp, scope, ...(aud && { aud }) };
  }

  async upsert(): Promise<void> {}

  async findByUid(): Promise<undefined> {}

  async findByUserCode(): Promise<undefined> {}

  async consume(): Promise<void> {}

  /** A JWT ends with its grant, which oidc-provider revokes next. */
  async destroy(): Promise<void> {}

  async revokeByGrantId(): Promise<void> {}
}
