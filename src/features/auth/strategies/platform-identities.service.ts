import { Injectable } from '@nestjs/common';
import { type JWTPayload, jwtVerify, SignJWT } from 'jose';
import { Clock } from '../../../base/kernel/clock.js';
import { effectivePermissions } from '../../../base/kernel/permission.js';
import { activeMembership, type Principal } from '../../../base/kernel/principal.js';
import { Settings } from '../../../platform/config/settings.js';
import type { IdentitySource } from '../../../platform/http/identity-source.js';
import { KeyRing } from '../keys/key-ring.js';
import { issuerOf, type JwtContext, ownKey, type SigningJwtKey } from '../sessions/jwt.js';

/** Header type. An identity is not accepted as a bearer token, and other JWTs of ours are not accepted as identities. */
const IDENTITY_TYPE = 'platform-identity+jwt';
const IDENTITY_SECONDS = 60;
/** How much the clocks of gateway and service may disagree, in seconds. */
const TOLERANCE_SECONDS = 5;

/** The description of a caller for services behind the gateway. `docs/gateway.md` lists the claims. */
export interface IdentityClaims extends JWTPayload {
  readonly sub: string;
  readonly type: Principal['type'];
  readonly slug?: string;
  readonly email?: string;
  readonly org?: string;
  readonly role?: string;
  readonly permissions: readonly string[];
  readonly scopes: readonly string[];
  /** The person who acts for the agent that `sub` names (RFC 8693, 4.1). */
  readonly act?: { readonly sub: string };
  /** The credential of the caller, so that the service can check whether it is still valid. */
  readonly credential: Principal['credential'];
  readonly credentialId: string;
  readonly credentialExp?: number;
  readonly sessionId?: string;
  readonly firstParty: boolean;
  readonly narrowedTo?: readonly string[];
  readonly boundTo?: string;
  /** The only collection or workspace that a key of one can access. */
  readonly collectionId?: string;
  readonly workspaceId?: string;
}

/** The claims about a caller, without those of the JWT itself. */
function identityOf(caller: Principal): IdentityClaims {
  const membership = activeMembership(caller);
  const { narrowedTo } = caller;
  return {
    sub: caller.id,
    type: caller.type,
    slug: caller.slug,
    email: caller.email ?? undefined,
    org: membership?.orgSlug,
    role: membership?.role,
    permissions: effectivePermissions(membership?.permissions ?? [], narrowedTo),
    scopes: membership?.scopes ?? [],
    act: caller.actingUserId === undefined ? undefined : { sub: caller.actingUserId },
    credential: caller.credential,
    credentialId: caller.credentialId,
    credentialExp: caller.expiresAt,
    sessionId: caller.sessionId,
    firstParty: caller.firstParty,
    narrowedTo,
    boundTo: caller.boundTo,
    collectionId: caller.collectionId,
    workspaceId: caller.workspace?.id,
  };
}

/** Signs an identity for one audience. It expires IDENTITY_SECONDS after `iat` (Unix seconds). */
function signIdentity(
  identity: IdentityClaims,
  { issuer, audience, iat }: { readonly issuer: string; readonly audience: string; readonly iat: number },
  { kid, algorithm, key }: SigningJwtKey,
): Promise<string> {
  return new SignJWT({ ...identity, iss: issuer, aud: audience, iat, exp: iat + IDENTITY_SECONDS })
    .setProtectedHeader({ typ: IDENTITY_TYPE, alg: algorithm, kid })
    .sign(key);
}

/** Verifies an identity that this platform signed for the audience less than IDENTITY_SECONDS ago. Throws for any other text. */
async function verifyIdentity(token: string, context: JwtContext): Promise<IdentityClaims> {
  const key = await ownKey(token, IDENTITY_TYPE, context.keyOf);
  const { payload } = await jwtVerify<IdentityClaims>(token, key.publicKey, {
    algorithms: [key.algorithm],
    issuer: context.issuer,
    maxTokenAge: IDENTITY_SECONDS,
    clockTolerance: TOLERANCE_SECONDS,
    currentDate: context.now,
    requiredClaims: ['sub', 'type', 'credential', 'credentialId', 'iat', 'exp', 'aud'],
  });
  // jose also accepts a list that contains the audience, and any exp in the future.
  if (payload.aud !== context.audience) throw new Error('aud is not exactly ours');
  if (!(Number(payload.exp) - Number(payload.iat) <= IDENTITY_SECONDS)) throw new Error('exp is too far');
  return payload;
}

/** An identity is reused for this long, so that not every request costs a signature. */
const REUSED_SECONDS = 10;

interface Signed {
  readonly iat: number;
  readonly token: Promise<string>;
}

/** Identities for services behind the gateway: signed here for all of them, verified here for the runtime. */
@Injectable()
export class PlatformIdentities implements IdentitySource {
  /** Identities by principal. They are collected together with the principal, which lives for a few seconds. */
  private readonly signed = new WeakMap<Principal, Map<string, Signed>>();

  constructor(
    private readonly ring: KeyRing,
    private readonly settings: Settings,
    private readonly clock: Clock,
  ) {}

  /** True for a runtime behind a gateway. No other process accepts an identity as a credential. */
  get areTaken(): boolean {
    const { PLATFORM_ROLES, RUNTIME_URL } = this.settings;
    return RUNTIME_URL !== undefined && !PLATFORM_ROLES.includes('gateway');
  }

  /** Throws for any text that is not an identity for this runtime. Does not check whether the session has ended. */
  async verify(token: string): Promise<IdentityClaims> {
    const audience = this.settings.RUNTIME_URL;
    if (audience === undefined || !this.areTaken)
      throw new Error('this service does not accept signed identities');
    const keyOf = (kid: string) => this.ring.verificationKey(kid);
    return verifyIdentity(token, { issuer: issuerOf(this.settings), audience, now: this.clock.now(), keyOf });
  }

  of(caller: Principal, audience: string): Promise<string> {
    const iat = this.clock.seconds();
    const signed = this.signed.get(caller) ?? new Map<string, Signed>();
    this.signed.set(caller, signed);
    const known = signed.get(audience);
    // The absolute value, because the clock may be set back.
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
