import { type JWTPayload, jwtVerify, SignJWT } from 'jose';
import { effectivePermissions } from '../../kernel/permission.js';
import { activeMembership, type Principal } from '../../kernel/principal.js';
import { type JwtContext, ownKey, type SigningJwtKey } from '../sessions/jwt.js';

/** Header type: an identity is no bearer, and no other JWT of ours is an identity. */
const IDENTITY_TYPE = 'platform-identity+jwt';
const IDENTITY_SECONDS = 60;
/** How much the clocks of gateway and service may disagree, in seconds. */
const TOLERANCE_SECONDS = 5;

/** Who calls, as a service behind the gateway is told. `docs/gateway.md` lists the claims. */
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
  /** What the caller was proven by, so that it can be asked again whether that still counts. */
  readonly credential: Principal['credential'];
  readonly credentialId: string;
  readonly credentialExp?: number;
  readonly sessionId?: string;
  readonly firstParty: boolean;
  readonly narrowedTo?: readonly string[];
  readonly boundTo?: string;
  /** The one thing that a key of a collection or workspace reaches. */
  readonly collectionId?: string;
  readonly workspaceId?: string;
}

/** The claims about a caller, without those of the JWT itself. */
export function identityOf(caller: Principal): IdentityClaims {
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

/** Signs an identity for one audience; it lasts IDENTITY_SECONDS from `iat` (Unix seconds). */
export function signIdentity(
  identity: IdentityClaims,
  { issuer, audience, iat }: { readonly issuer: string; readonly audience: string; readonly iat: number },
  { kid, algorithm, key }: SigningJwtKey,
): Promise<string> {
  return new SignJWT({ ...identity, iss: issuer, aud: audience, iat, exp: iat + IDENTITY_SECONDS })
    .setProtectedHeader({ typ: IDENTITY_TYPE, alg: algorithm, kid })
    .sign(key);
}

/** The identity that this platform signed for the audience less than IDENTITY_SECONDS ago. Throws for every other text. */
export async function verifyIdentity(token: string, context: JwtContext): Promise<IdentityClaims> {
  const key = await ownKey(token, IDENTITY_TYPE, context.keyOf);
  const { payload } = await jwtVerify<IdentityClaims>(token, key.publicKey, {
    algorithms: [key.algorithm],
    issuer: context.issuer,
    maxTokenAge: IDENTITY_SECONDS,
    clockTolerance: TOLERANCE_SECONDS,
    currentDate: context.now,
    requiredClaims: ['sub', 'type', 'credential', 'credentialId', 'iat', 'exp', 'aud'],
  });
  // jose would be content with a list that contains the audience, and with any exp that lies ahead.
  if (payload.aud !== context.audience) throw new Error('aud is not exactly ours');
  if (!(Number(payload.exp) - Number(payload.iat) <= IDENTITY_SECONDS)) throw new Error('exp is too far');
  return payload;
}
