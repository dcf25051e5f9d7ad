import { type Adapter, type AdapterPayload, errors } from 'oidc-provider';
import type { EntityManager } from 'typeorm';
import { sqlState } from '../../../kernel/sql-state.js';
import type { Grants } from '../tokens/grants.service.js';
import type { OidcPayloads } from './oidc-payloads.service.js';

/** The session that the grant is was deleted by hand meanwhile. */
const FOREIGN_KEY_VIOLATION = '23503';

/** oidc-provider's storage for one of its models, on the rows of `OidcPayloads`. */
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
    // A grant is its session: both have one id.
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

  /** Only the device flow asks for codes that people type, and it is not offered. */
  async findByUserCode(): Promise<undefined> {
    return undefined;
  }

  /** A second use of a code or refresh token ends the grant, also when both uses come at one moment (RFC 9700, 4.14). */
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
