import { useState } from 'react';
import { t } from '../../../i18n/language.js';
import { TextField } from '../../../ui/controls/text-field.js';
import { FormDialog } from '../../../ui/overlays/form-dialog.js';
import type { Workspace } from '../queries.js';
import { useSecurityChange } from './use-security.js';

const NAME = '[A-Za-z0-9][A-Za-z0-9_\\-]*';

/** A new role. It allows nothing until a rule names it. */
export function RoleDialog({
  workspace,
  onClose,
}: {
  readonly workspace: Workspace;
  readonly onClose: () => void;
}) {
  const change = useSecurityChange(workspace.id);
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const send = () =>
    change(({ roles, rules }) => ({
      roles: { ...roles, [name]: { ...(description.trim() !== '' && { description: description.trim() }) } },
      rules,
    }));
  return (
    <FormDialog title={t('organization.newRole')} action={t('common.save')} onClose={onClose} send={send}>
      <TextField
        label={t('organization.name')}
        hint={t('workspaces.roleNameHint')}
        required
        maxLength={64}
        pattern={NAME}
        value={name}
        onChange={setName}
      />
      <TextField
        label={t('workspaces.description')}
        maxLength={500}
        value={description}
        onChange={setDescription}
      />
    </FormDialog>
  );
}
