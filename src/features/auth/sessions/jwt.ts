import { type CryptoKey, decodeProtectedHeader, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import type { Settings } from '../../../platform/config/settings.js';
import { isMcpPath } from '../../../platform/http/protected-resource.js';

/** Header type of the platform's JWTs (RFC 9068). An id_token or another JWT of ours is not accepted as a bearer token. */
const JWT_TYPE = 'at+jwt';
/** `client_id` of the platform itself. Its tokens may do everything that the user may do. */
export const FIRST_PARTY_CLIENT = 'platform';
/** The scope for everything that the user may do. Only the platform's own clients get it. */
export const PLATFORM_SCOPE = 'platform';
export const FIRST_PARTY_SCOPE = `openid profile email ${PLATFORM_SCOPE}`;
/** Tolerance for the clocks of `exp` and `nbf`, in seconds (contract). */
export const TOLERANCE_SECONDS = 30;

/** The claims of spec 2.5. `iat` and `exp` are Unix seconds. */
export interface SessionClaims extends JWTPayload {
  readonly platformSessionId: string;
  readonly jti: string;
  readonly sub: string;
  readonly iat: number;
  readonly exp: number;
  readonly scope: string;
  readonly client_id: string;
}

/** The active key. */
export interface SigningJwtKey {
  readonly kid: string;
  readonly algorithm: string;
  readonly key: CryptoKey;
}

/** A key with the only algorithm that it verifies. */
interface VerifyingJwtKey {
  readonly algorithm: string;
  readonly publicKey: CryptoKey;
}

export interface JwtContext {
  readonly issuer: string;
  /** PUBLIC_URL. It is the audience of every JWT that was not requested for a single resource. */
  readonly audience: string;
  readonly now: Date;
  readonly keyOf: (kid: string) => Promise<VerifyingJwtKey | undefined>;
}

/** The issuer of the platform's JWTs. */
export function issuerOf(settings: Pick<Settings, 'PUBLIC_URL'>): string {
  return `${settings.PUBLIC_URL}/oidc`;
}

/** Signs the claims of a session. */
export function signJwt(
  claims: SessionClaims,
  context: Pick<JwtContext, 'issuer' | 'audience'>,
  { kid, algorithm, key }: SigningJwtKey,
): Promise<string> {
  return new SignJWT({ ...claims, iss: context.issuer, aud: context.audience })
    .setProtectedHeader({ typ: JWT_TYPE, alg: algorithm, kid })
    .sign(key);
}

/** Verifies a JWT that this platform signed for itself. Throws for any other text, and when the JWT is not valid now. */
export async function verifyJwt(token: string, context: JwtContext): Promise<SessionClaims> {
  const key = await ownKey(token, JWT_TYPE, context.keyOf);
  const { payload } = await jwtVerify<SessionClaims>(token, key.publicKey, {
    algorithms: [key.algorithm],
    issuer: context.issuer,
    clockTolerance: TOLERANCE_SECONDS,
    currentDate: context.now,
    requiredClaims: ['platformSessionId', 'jti', 'sub', 'iat', 'exp', 'scope', 'client_id', 'aud'],
  });
  // jose also accepts a list that contains our audience, and any iat. iat has no tolerance because it is rounded down.
  if (!isOurs(payload.aud, context.audience)) throw new Error('aud is not exactly ours');
  if (!(payload.iat <= context.now.getTime() / 1000)) throw new Error('iat lies in the future');
  for (const name of ['platformSessionId', 'jti', 'sub', 'scope', 'client_id'] as const) {
    if (typeof payload[name] !== 'string') throw new Error(`${name} is not a string`);
  }
  return payload;
}

/** The key of a JWT whose header has exactly our form and type. Throws for any other text. */
export async function ownKey(
  token: string,
  type: string,
  keyOf: JwtContext['keyOf'],
): Promise<VerifyingJwtKey> {
  // jose also accepts tokens without kid, other spellings of typ (RFC 7515), and `crit` with extensions that it knows.
  if (!isCompactJwt(token)) throw new Error('it does not have the form of a JWT');
  const { kid, typ, alg: _, ...more } = decodeProtectedHeader(token);
  if (typeof kid !== 'string' || typ !== type || Object.keys(more).length > 0)
    throw new Error('not a JWT of this platform');
  const key = await keyOf(kid);
  if (key === undefined) throw new Error('unknown kid');
  return key;
}

/** The only path where a JWT with this audience is accepted; undefined when it is accepted everywhere. */
export function boundPath({ aud }: Pick<JWTPayload, 'aud'>, audience: string): string | undefined {
  return aud === audience ? undefined : String(aud).slice(audience.length);
}

function isOurs(aud: unknown, audience: string): boolean {
  if (aud === audience) return true;
  return typeof aud === 'string' && aud.startsWith(audience) && isMcpPath(aud.slice(audience.length));
}

const PART = /^[A-Za-z0-9_-]+$/;

/**
 * True for a JWT in its canonical text (RFC 7515, 3.1 and appendix C): without white space, padding and unused bits.
 * Decoders ignore those, so one token would otherwise be accepted in many spellings.
 */
export function isCompactJwt(token: string): boolean {
  const parts = token.split('.', 4);
  return parts.length === 3 && parts.every(isCanonical);
}

function isCanonical(part: string): boolean {
  return PART.test(part) && Buffer.from(part, 'base64url').toString('base64url') === part;
}
