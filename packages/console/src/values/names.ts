import type { CollectionInfo } from '../api/collection-query.js';
import type { Me } from '../api/session.js';
import { t } from '../i18n/language.js';

/** What to call a person: the name, else the e-mail address. Visitors have neither. */
export function nameOf({ firstName, lastName, email }: Pick<Me, 'firstName' | 'lastName' | 'email'>): string {
  return fullName({ firstName, lastName }) || email || t('account.somebody');
}

export function fullName({ firstName, lastName }: Pick<Me, 'firstName' | 'lastName'>): string {
  return [firstName, lastName].filter(Boolean).join(' ');
}

const ROLES = {
  reader: 'collections.reader',
  editor: 'collections.editor',
  admin: 'collections.admin',
  owner: 'collections.ownerRole',
} as const;

/** The role on a collection in the language of the page. */
export function roleName(role: CollectionInfo['my_role']): string {
  return t(ROLES[role]);
}

const LONGEST = 60;

/** What names a record in a list: the first text that a text column of it has, else its id. */
export function titleOfRecord(
  record: Readonly<Record<string, unknown>>,
  schema: Readonly<Record<string, { readonly type: string }>>,
): string {
  for (const [name, { type }] of Object.entries(schema)) {
    const value = type === 'text' ? record[name] : undefined;
    if (typeof value !== 'string' || value.trim() === '') continue;
    return value.length > LONGEST ? `${value.slice(0, LONGEST - 1)}…` : value;
  }
  return String(record._id);
}
