import { useState } from 'react';
import { t } from '../../i18n/language.js';
import { TextAreaField } from '../../ui/controls/field.js';
import { FormDialog } from '../../ui/overlays/form-dialog.js';
import { NamedFields } from '../organization/fields/named.js';
import type { Workspace } from './queries.js';

interface WorkspaceFormProps {
  readonly title: string;
  /** The workspace to change; undefined for a new one. */
  readonly workspace?: Workspace;
  readonly onClose: () => void;
  readonly send: (described: { name: string; slug: string; description: string | null }) => Promise<unknown>;
}

/** Name, slug and description of a workspace. */
export function WorkspaceForm({ title, workspace, onClose, send }: WorkspaceFormProps) {
  const [named, setNamed] = useState({ name: workspace?.name ?? '', slug: workspace?.slug ?? '' });
  const [description, setDescription] = useState(workspace?.description ?? '');
  return (
    <FormDialog
      title={title}
      action={t('common.save')}
      onClose={onClose}
      send={() => send({ ...named, description: description.trim() === '' ? null : description.trim() })}
    >
      <NamedFields
        value={named}
        onChange={setNamed}
        exists={workspace !== undefined}
        slugHint={t('workspaces.slugHint')}
      />
      <TextAreaField
        label={t('workspaces.description')}
        maxLength={2000}
        value={description}
        onChange={setDescription}
      />
    </FormDialog>
  );
}
