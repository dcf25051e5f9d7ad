import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.js';
import type { CollectionInfo } from '../../../api/collection-query.js';
import { type Principal } from '../../../api/directory.js';
import { directoryQuery } from '../../../api/directory-queries.js';
import { t } from '../../../i18n/language.js';
import { ChoiceField } from '../../../ui/controls/field.js';
import { FormDialog } from '../../../ui/overlays/form-dialog.js';
import { roleName } from '../../../values/names.js';
import styles from '../access.module.css';
import { PrincipalFields } from '../principal-fields.js';
import { useAccessReload } from '../queries.js';

export const GRANTED_ROLES = ['reader', 'editor', 'admin'] as const;
export type GrantedRole = (typeof GRANTED_ROLES)[number];

/** Shares the collection with one principal. Sharing again sets the role. */
export function ShareDialog({
  info,
  onClose,
}: {
  readonly info: CollectionInfo;
  readonly onClose: () => void;
}) {
  const directory = useQuery(directoryQuery(info.orgSlug));
  const [principal, setPrincipal] = useState<Principal>({ type: 'user', id: '' });
  const [role, setRole] = useState<GrantedRole>('reader');
  const reload = useAccessReload();
  const send = async () => {
    const { type, id } = principal;
    const granted = type === 'agent' ? 'editor' : role;
    const binding = { principal_type: type, principal_id: id, role: granted } as const;
    await api.sharing.grantAccess({ collection_id: info.collection_id, ...binding });
    await reload();
  };
  return (
    <FormDialog
      title={t('access.shareTitle', { name: info.name })}
      action={t('access.shareNow')}
      onClose={onClose}
      send={send}
      isComplete={principal.id !== ''}
    >
      <PrincipalFields
        types={['user', 'group', 'org', 'agent']}
        orgSlug={info.orgSlug}
        directory={directory}
        principal={principal}
        onChange={setPrincipal}
      />
      {principal.type === 'agent' ? (
        <p className={styles.quiet}>{t('access.agentsAreEditors')}</p>
      ) : (
        <ChoiceField
          label={t('access.role')}
          hint={t(`access.can_${role}`)}
          value={role}
          onChange={each => setRole(each)}
          choices={GRANTED_ROLES}
          textOf={each => roleName(each)}
        />
      )}
    </FormDialog>
  );
}
