/** What each scope lets an application do, as people say it. */
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

/** Scopes in words, in the order of this page; those that nobody grants are left out. */
export function inWords(scopes: readonly string[]): string[] {
  return Object.entries(WORDS)
    .filter(([scope]) => scopes.includes(scope))
    .map(([, words]) => words);
}
