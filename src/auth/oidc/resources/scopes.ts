import { PLATFORM_SCOPE } from '../../sessions/jwt.js';

/** What the permissions of these names cover. */
export const COLLECTION_SCOPES = [
  'collections:read',
  'collections:write',
  'collections:manage',
  'collections:create',
] as const;

/** The same where there is but one collection. */
export const ONE_COLLECTION_SCOPES = COLLECTION_SCOPES.filter(scope => scope !== 'collections:create');

/** What any client may ask for: besides, who the user is, and access that outlives the browser's session. */
const OPEN_SCOPES = ['openid', 'profile', 'email', 'offline_access', ...COLLECTION_SCOPES];

/** What a client may ask for: everything that the user may do is for the platform's own. */
export function scopesFor({ own }: { readonly own: boolean }): readonly string[] {
  return own ? [...OPEN_SCOPES, PLATFORM_SCOPE] : OPEN_SCOPES;
}
