import { api } from '../../../api/client.js';
import type { CollectionInfo } from '../../../api/collection-query.js';
import { t } from '../../../i18n/language.js';
import { Select } from '../../../ui/controls/field.js';
import { ErrorBox } from '../../../ui/states/error-box.js';
import { roleName } from '../../../values/role-name.js';
import styles from '../access.module.css';
import { useAccessChange } from '../use-access-change.js';
import { type AccessRow, GRANTED_ROLES, type GrantedRole } from './rows.js';

interface RoleSelectProps {
  readonly info: CollectionInfo;
  readonly row: AccessRow;
  readonly name: string;
}

/** The role of somebody, which can be changed in place. */
export function RoleSelect({ info, row: { principal, role }, name }: RoleSelectProps) {
  const change = useAccessChange((wanted: GrantedRole) =>
    api.sharing.updateAccessBinding({
      collection_id: info.collection_id,
      principal_type: principal.type as 'user',
      principal_id: principal.id,
      role: wanted,
    }),
  );
  return (
    <span className={styles.stack}>
      <Select
        aria-label={t('access.roleOf', { name })}
        className={styles.role}
        value={change.isPending ? change.variables : role}
        disabled={change.isPending}
        onChange={({ target }) => change.mutate(target.value as GrantedRole)}
      >
        {GRANTED_ROLES.map(each => (
          <option key={each} value={each}>
            {roleName(each)}
          </option>
        ))}
      </Select>
      {change.error !== null && <ErrorBox error={change.error} />}
    </span>
  );
}
