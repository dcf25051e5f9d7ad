import { useQuery } from '@tanstack/react-query';
import { api } from '../../../api/client.js';
import { t } from '../../../i18n/language.js';
import { Section } from '../../../ui/data/section.js';
import { ConfirmButton } from '../../../ui/overlays/confirm-dialog.js';
import { DialogButton } from '../../organization/fields/dialog-button.js';
import { lastUse } from '../../organization/fields/last-use.js';
import { NameCell } from '../../organization/fields/name-cell.js';
import { ListTable } from '../../organization/list-table.js';
import organizationStyles from '../../organization/organization.module.css';
import { useChange } from '../../organization/use-organization.js';
import { type Workspace, type WorkspaceKey, workspaceKeysQuery } from '../queries.js';
import styles from '../workspaces.module.css';
import { KeyDialog } from './key-dialog.js';

interface WorkspaceProps {
  readonly workspace: Workspace;
}

/** The API keys of a workspace, which do what their own rules allow and nothing else. */
export function Keys({ workspace }: WorkspaceProps) {
  const keys = useQuery(workspaceKeysQuery(workspace.id));
  return (
    <Section
      title={t('organization.keys')}
      text={t('workspaces.keysText')}
      actions={
        <DialogButton label={t('organization.newKey')}>
          {close => <KeyDialog workspace={workspace} onClose={close} />}
        </DialogButton>
      }
    >
      <ListTable
        label={t('organization.keys')}
        query={keys}
        columns={[
          {
            title: t('organization.key'),
            cell: ({ name, prefix }: WorkspaceKey) => (
              <NameCell name={name} below={<span className={styles.mono}>{prefix}…</span>} />
            ),
          },
          {
            title: t('organization.may'),
            cell: ({ rules }: WorkspaceKey) =>
              rules.map(({ action, subject }) => `${action.join(', ')}: ${subject}`).join('; '),
          },
          { title: t('organization.use'), cell: ({ lastUsedAt }: WorkspaceKey) => lastUse(lastUsedAt) },
          {
            title: t('organization.actions'),
            align: 'end' as const,
            cell: (key: WorkspaceKey) => <KeyActions workspace={workspace} workspaceKey={key} />,
          },
        ]}
        itemKey={({ id }) => id}
        empty={t('organization.keysNone')}
      />
    </Section>
  );
}

interface KeyActionsProps extends WorkspaceProps {
  readonly workspaceKey: WorkspaceKey;
}

function KeyActions({ workspace, workspaceKey }: KeyActionsProps) {
  const change = useChange();
  const { id, name } = workspaceKey;
  return (
    <div className={organizationStyles.actions}>
      <DialogButton label={t('organization.change')} name={t('organization.changeOf', { name })}>
        {close => <KeyDialog workspace={workspace} workspaceKey={workspaceKey} onClose={close} />}
      </DialogButton>
      <ConfirmButton
        label={t('organization.revoke')}
        name={t('organization.revokeOf', { name })}
        title={t('organization.revokeKeyTitle', { name })}
        run={() => change(() => api.workspaces.revokeWorkspaceApiKey({ workspaceId: workspace.id, id }))}
      >
        <p>{t('organization.revokeKeyText')}</p>
      </ConfirmButton>
    </div>
  );
}
