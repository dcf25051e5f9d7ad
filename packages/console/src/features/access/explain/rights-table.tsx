import { t } from '../../../i18n/language.js';
import { SimpleTable } from '../../../ui/data/simple-table.js';
import { roleName } from '../../../values/role-name.js';
import type { Explanation } from '../queries.js';

type Right = Explanation['rights'][number];

/** What the role and the permissions allow, and what is missing for the rest. */
export function RightsTable({ rights }: { readonly rights: readonly Right[] }) {
  return (
    <SimpleTable
      label={t('access.rights')}
      items={rights}
      itemKey={({ right }) => right}
      empty={t('access.noAccess')}
      columns={[
        { title: t('access.right'), cell: ({ right }) => t(`access.right_${right}`) },
        { title: t('access.allowed'), cell: allowance },
      ]}
    />
  );
}

function allowance({ allowed, missing, needs_role, needs_permission }: Right): string {
  if (allowed) return t('access.yes');
  return missing === 'permission'
    ? t('access.needsPermission', { permission: needs_permission })
    : t('access.needsRole', { role: roleName(needs_role) });
}
