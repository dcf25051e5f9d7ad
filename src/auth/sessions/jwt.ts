import type { CryptoKey } from 'jose';
import { decodeProtectedHeader, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import type { Settings } from '../../config/settings.js';
import { isMcpPath } from '../../http/protected-resource.js';
import { isCompactJwt } from '../../kernel/compact-jwt.js';

/** Header type of the platform's JWTs (RFC 9068): an id_token or any other JWT of ours is no bearer. */
const JWT_TYPE = 'at+jwt';
/** `client_id` of the platform itself: a token that may do everything its user may. */
export const FIRST_PARTY_CLIENT = 'platform';
/** Everything the user may; only the platform's own clients ever get it. */
export const PLATFORM_SCOPE = 'platform';
export const FIRST_PARTY_SCOPE = `openid profile email ${PLATFORM_SCOPE}`;
/** How much two clocks may disagree about `exp` and `nbf`, in seconds (contract). */
export const TOLERANCE_SECONDS = 30;

/** Exactly the claims of spec 2.5. `iat` and `exp` are Unix seconds. */
export interface SessionClaims extends JWTPayload {
  readonly platformSessionId: string;
  readonly jti: string;
  readonly sub: string;
  readonly iat: number;
  readonly exp: number;
  readonly scope: string;
  readonly client_id: string;
}

/** The key that signs now. */
export interface SigningJwtKey {
  readonly kid: string;
  readonly algorithm: string;
  readonly key: CryptoKey;
}

/** The key that a `kid` names, with the one algorithm it is for. */
interface VerifyingJwtKey {
  readonly algorithm: string;
  readonly publicKey: CryptoKey;
}

export interface JwtContext {
  readonly issuer: string;
  /** PUBLIC_URL: the audience of every JWT, unless it was asked for one resource below it. */
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

/** The claims of a JWT that this platform signed for itself and that is valid now. Throws for every other text. */
export async function verifyJwt(token: string, context: JwtContext): Promise<SessionClaims> {
  const key = await ownKey(token, JWT_TYPE, context.keyOf);
  const { payload } = await jwtVerify<SessionClaims>(token, key.publicKey, {
    algorithms: [key.algorithm],
    issuer: context.issuer,
    clockTolerance: TOLERANCE_SECONDS,
    currentDate: context.now,
    requiredClaims: ['platformSessionId', 'jti', 'sub', 'iat', 'exp', 'scope', 'client_id', 'aud'],
  });
  // jose would be content with a list that contains our audience, and with any iat (no tolerance: iat is rounded down).
  if (!isOurs(payload.aud, context.audience)) throw new Error('aud is not exactly ours');
  if (!(payload.iat <= context.now.getTime() / 1000)) throw new Error('iat lies in the future');
  for (const name of ['platformSessionId', 'jti', 'sub', 'scope', 'client_id'] as const) {
    if (typeof payload[name] !== 'string') throw new Error(`${name} is not a text`);
  }
  return payload;
}

/** The key of a JWT whose header is of exactly our form and type. Throws for every other text. */
export async function ownKey(
  token: string,
  type: string,
  keyOf: JwtContext['keyOf'],
): Promise<VerifyingJwtKey> {
  // jose accepts a token without kid, any spelling of typ that RFC 7515 calls equal, and `crit` for what it knows;
  // here only our own form.
  if (!isCompactJwt(token)) throw new Error('not the text of a JWT');
  const { kid, typ, alg: _, ...more } = decodeProtectedHeader(token);
  if (typeof kid !== 'string' || typ !== type || Object.keys(more).length > 0)
    throw new Error('not a JWT of this platform');
  const key = await keyOf(kid);
  if (key === undefined) throw new Error('unknown kid');
  return key;
}

/** The only path at which claims with this audience are accepted; undefined when they are everywhere. */
export function boundPath({ aud }: Pick<JWTPayload, 'aud'>, audience: string): string | undefined {
  return aud === audience ? undefined : String(aud).slice(audience.length);
}

function isOurs(aud: unknown, audience: string): boolean {
  if (aud === audience) return true;
  return typeof aud === 'string' && aud.startsWith(audience) && isMcpPath(aud.slice(audience.length));
}
