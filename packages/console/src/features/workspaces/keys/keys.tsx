import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.js';
import { t } from '../../../i18n/language.js';
import { CheckList } from '../../../ui/controls/check-list.js';
import { Code } from '../../../ui/controls/code.js';
import { TextField } from '../../../ui/controls/field.js';
import { SecretOnce } from '../../../ui/controls/secret-once.js';
import { Section } from '../../../ui/data/section.js';
import { ConfirmButton } from '../../../ui/overlays/confirm-dialog.js';
import { FormDialog } from '../../../ui/overlays/form-dialog.js';
import { DialogButton } from '../../organization/fields/dialog-button.js';
import { lastUse } from '../../organization/fields/last-use.js';
import { NameCell } from '../../organization/fields/name-cell.js';
import { ListTable } from '../../organization/list-table.js';
import organizationStyles from '../../organization/organization.module.css';
import { useChange } from '../../organization/use-organization.js';
import { type Workspace, type WorkspaceKey, workspaceKeysQuery } from '../queries.js';
import { ACTIONS, SUBJECTS } from '../rules/rule.js';
import styles from '../workspaces.module.css';
import { draftOf, rulesOf } from './key-rules.js';

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

interface KeyDialogProps {
  readonly workspace: Workspace;
  /** The key to change; undefined for a new one, whose secret is shown once. */
  readonly workspaceKey?: WorkspaceKey;
  readonly onClose: () => void;
}

const CHOICES = ACTIONS.map(value => ({ value, label: value }));

/** The name of a key, and what it may do with each kind of resource. */
function KeyDialog({ workspace: { id: workspaceId }, workspaceKey, onClose }: KeyDialogProps) {
  const change = useChange();
  const [name, setName] = useState(workspaceKey?.name ?? '');
  const [draft, setDraft] = useState(draftOf(workspaceKey?.rules ?? []));
  const [secret, setSecret] = useState<string>();
  const rules = draft && rulesOf(draft);
  const send = async () => {
    if (workspaceKey !== undefined) {
      const sent = { workspaceId, id: workspaceKey.id, name, ...(rules && { rules }) };
      return change(() => api.workspaces.updateWorkspaceApiKey(sent));
    }
    const sent = { workspaceId, name, rules: rules ?? [] };
    setSecret((await change(() => api.workspaces.mintWorkspaceApiKey(sent))).apiKey);
  };
  return (
    <FormDialog
      title={
        workspaceKey === undefined
          ? t('organization.newKey')
          : t('organization.changeKeyTitle', { name: workspaceKey.name })
      }
      action={t('common.save')}
      onClose={onClose}
      send={send}
      staysOpen={workspaceKey === undefined}
      isDone={secret !== undefined}
      isComplete={rules === undefined || rules.length > 0}
      shape="wide"
    >
      {secret === undefined ? (
        <>
          <TextField
            label={t('organization.name')}
            required
            maxLength={200}
            value={name}
            onChange={setName}
          />
          {draft === undefined ? (
            <p>{t('workspaces.keyConditions')}</p>
          ) : (
            SUBJECTS.map(subject => (
              <CheckList
                key={subject}
                label={subject}
                choices={CHOICES}
                chosen={draft[subject]}
                onChange={actions => setDraft({ ...draft, [subject]: actions })}
              />
            ))
          )}
        </>
      ) : (
        <SecretOnce label={t('organization.secretOf', { name })} secret={secret}>
          <p>{t('organization.keyUse')}</p>
          <Code
            label={t('organization.command')}
            text={`curl -H "x-platform-api-key: $TC_KEY" ${location.origin}/v2/workspaces/${workspaceId}`}
          />
        </SecretOnce>
      )}
    </FormDialog>
  );
}
