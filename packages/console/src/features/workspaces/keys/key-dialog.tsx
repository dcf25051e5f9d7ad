import { useState } from 'react';
import { api } from '../../../api/client.js';
import { t } from '../../../i18n/language.js';
import { CheckList } from '../../../ui/controls/check-list.js';
import { Code } from '../../../ui/controls/code.js';
import { SecretOnce } from '../../../ui/controls/secret-once.js';
import { TextField } from '../../../ui/controls/text-field.js';
import { FormDialog } from '../../../ui/overlays/form-dialog.js';
import { useChange } from '../../organization/use-organization.js';
import type { Workspace, WorkspaceKey } from '../queries.js';
import { ACTIONS, SUBJECTS } from '../rules/rule.js';
import { draftOf, rulesOf } from './key-rules.js';

interface KeyDialogProps {
  readonly workspace: Workspace;
  /** The key to change; undefined for a new one, whose secret is shown once. */
  readonly workspaceKey?: WorkspaceKey;
  readonly onClose: () => void;
}

const CHOICES = ACTIONS.map(value => ({ value, label: value }));

/** The name of a key, and what it may do with each kind of resource. */
export function KeyDialog({ workspace: { id: workspaceId }, workspaceKey, onClose }: KeyDialogProps) {
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
