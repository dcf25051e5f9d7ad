import { Injectable } from '@nestjs/common';
import { Settings } from '../../config/settings.js';
import { IdentitySource } from '../../http/identity-source.js';
import { Clock } from '../../kernel/clock.js';
import type { Principal } from '../../kernel/principal.js';
import { KeyRing } from '../keys/key-ring.js';
import { issuerOf } from '../sessions/jwt.js';
import { type IdentityClaims, identityOf, signIdentity, verifyIdentity } from './identity-jwt.js';

/** How long the same identity is sent again, so that signing is not the price of every request. */
const REUSED_SECONDS = 10;

interface Signed {
  readonly iat: number;
  readonly token: Promise<string>;
}

/** Identities for services behind the gateway: signed here for all of them, verified here for the runtime. */
@Injectable()
export class PlatformIdentities {
  /** A principal is made anew every few seconds, and takes what was signed for it along. */
  private readonly signed = new WeakMap<Principal, Map<string, Signed>>();

  constructor(
    private readonly ring: KeyRing,
    private readonly settings: Settings,
    private readonly clock: Clock,
    source: IdentitySource,
  ) {
    source.by((caller, audience) => this.of(caller, audience));
  }

  /** True for a runtime behind a gateway; no other process takes an identity for a credential. */
  get areTaken(): boolean {
    const { PLATFORM_ROLES, RUNTIME_URL } = this.settings;
    return RUNTIME_URL !== undefined && !PLATFORM_ROLES.includes('gateway');
  }

  /** Throws for every text that is not an identity for this runtime; says nothing about whether its session still lives. */
  async verify(token: string): Promise<IdentityClaims> {
    const audience = this.settings.RUNTIME_URL;
    if (audience === undefined || !this.areTaken) throw new Error('no identities are taken here');
    const keyOf = (kid: string) => this.ring.verificationKey(kid);
    return verifyIdentity(token, { issuer: issuerOf(this.settings), audience, now: this.clock.now(), keyOf });
  }

  private of(caller: Principal, audience: string): Promise<string> {
    const iat = this.clock.seconds();
    const signed = this.signed.get(caller) ?? new Map<string, Signed>();
    this.signed.set(caller, signed);
    const known = signed.get(audience);
    // Either way: a clock may be set.
    if (known !== undefined && Math.abs(iat - known.iat) <= REUSED_SECONDS) return known.token;
    const token = this.sign(caller, audience, iat);
    signed.set(audience, { iat, token });
    token.catch(() => signed.delete(audience));
    return token;
  }

  private async sign(caller: Principal, audience: string, iat: number): Promise<string> {
    const envelope = { issuer: issuerOf(this.settings), audience, iat };
    return signIdentity(identityOf(caller), envelope, await this.ring.signingKey());
  }
}
