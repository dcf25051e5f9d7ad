import type { CollectionInfo } from '../api/collection-query.js';
import { t } from '../i18n/language.js';

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
