import { t } from '../i18n/language.js';
import type { ListedCollection } from './list-query.js';

const ROLES = {
  reader: 'collections.reader',
  editor: 'collections.editor',
  admin: 'collections.admin',
  owner: 'collections.ownerRole',
} as const;

/** The role on a collection in the language of the page. */
export function roleName(role: ListedCollection['my_role']): string {
  return t(ROLES[role]);
}
