import { PLATFORM_SCOPE } from '../../sessions/jwt.js';

/** Each of these scopes allows what the permission of the same name allows. */
export const COLLECTION_SCOPES = [
  'collections:read',
  'collections:write',
  'collections:manage',
  'collections:create',
] as const;

/** The scopes of the MCP endpoint of a single collection. */
export const ONE_COLLECTION_SCOPES = COLLECTION_SCOPES.filter(scope => scope !== 'collections:create');

/** The scopes that any client may ask for. */
const OPEN_SCOPES = ['openid', 'profile', 'email', 'offline_access', ...COLLECTION_SCOPES];

/** The scopes that a client may ask for. Only the platform's own clients may ask for everything that the user may do. */
export function scopesFor({ own }: { readonly own: boolean }): readonly string[] {
  return own ? [...OPEN_SCOPES, PLATFORM_SCOPE] : OPEN_SCOPES;
}

/** The descriptions of scopes for the consent page. */
const WORDS: Readonly<Record<string, string>> = {
  openid: 'Know who you are',
  profile: 'See your name',
  email: 'See your e-mail address',
  offline_access: 'Keep this access while you are away, until you end it',
  'collections:read': 'Read the records of your collections',
  'collections:write': 'Add, change and delete records in your collections',
  'collections:manage': 'Change the columns and settings of your collections',
  'collections:create': 'Create collections in your name',
  platform: 'Do everything that you can do on this platform',
};

/** Describes the scopes, in the order of the list above. Unknown scopes are left out. */
export function inWords(scopes: readonly string[]): string[] {
  return Object.entries(WORDS)
    .filter(([scope]) => scopes.includes(scope))
    .map(([, words]) => words);
}
