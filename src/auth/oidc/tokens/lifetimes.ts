import type { Configuration, KoaContextWithOIDC } from 'oidc-provider';
import type { Clock } from '../../../kernel/clock.js';

/** A JWT cannot be called back without ending its session, so those of clients live shortly and are refreshed. */
const ACCESS_TOKEN_SECONDS = 3600;
const ID_TOKEN_SECONDS = 3600;
/** RFC 9700, 2.1.1: a code is used at once. */
const CODE_SECONDS = 60;
/** How long people may take to sign in and decide. */
const INTERACTION_SECONDS = 3600;

/** How long everything lives; what belongs to a grant ends with its session, at the latest after `maxAge` seconds. */
export function lifetimes(maxAge: number, clock: Clock): NonNullable<Configuration['ttl']> {
  const left = ({ oidc }: KoaContextWithOIDC) =>
    Math.max(1, (oidc.entities.Grant?.exp ?? 0) - clock.seconds());
  return {
    AccessToken: ctx => Math.min(ACCESS_TOKEN_SECONDS, left(ctx)),
    RefreshToken: left,
    AuthorizationCode: CODE_SECONDS,
    IdToken: ID_TOKEN_SECONDS,
    Interaction: INTERACTION_SECONDS,
    Session: maxAge,
    Grant: maxAge,
  };
}
