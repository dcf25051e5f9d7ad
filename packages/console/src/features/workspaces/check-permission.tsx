import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api } from '../../api/client.js';
import { t } from '../../i18n/language.js';
import { Button } from '../../ui/controls/button.js';
import { ChoiceField } from '../../ui/controls/field.js';
import { Section } from '../../ui/data/section.js';
import { ErrorBox } from '../../ui/states.js';
import { MemberPicker } from '../organization/fields/member-picker.js';
import { useOrganization } from '../organization/use-organization.js';
import { JsonField } from './json-field.js';
import type { Workspace } from './queries.js';
import { ACTIONS, type Action, jsonObjectOf, SUBJECTS, type Subject } from './rules/rule.js';
import styles from './workspaces.module.css';

interface CheckPermissionProps {
  readonly workspace: Workspace;
  /** True: the person may also ask what others may do. */
  readonly administers: boolean;
}

/** Asks the service whether somebody may do something in the workspace, and which rule decides. */
export function CheckPermission({ workspace, administers }: CheckPermissionProps) {
  const { me } = useOrganization();
  const [userId, setUserId] = useState('');
  const [action, setAction] = useState<Action>('read');
  const [subject, setSubject] = useState<Subject>('pages');
  const [resource, setResource] = useState('');
  const fields = jsonObjectOf(resource);
  const check = useMutation({
    mutationFn: () =>
      api.workspaces.checkWorkspacePermission({
        workspaceId: workspace.id,
        action,
        subject,
        ...(fields !== undefined && { resource: fields }),
        ...(userId !== '' && { userId }),
      }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (resource.trim() === '' || fields !== undefined) check.mutate();
  };
  return (
    <Section title={t('workspaces.check')} text={t('workspaces.checkText')}>
      <form className={styles.stack} onSubmit={submit}>
        <div className={styles.check}>
          {administers && (
            <MemberPicker
              label={t('workspaces.who')}
              value={userId}
              onChange={setUserId}
              none={t('organization.yourself')}
              without={me.id === undefined ? [] : [me.id]}
              idsOnly
            />
          )}
          <ChoiceField
            label={t('workspaces.action')}
            value={action}
            onChange={each => setAction(each)}
            choices={ACTIONS}
          />
          <ChoiceField
            label={t('workspaces.subject')}
            value={subject}
            onChange={each => setSubject(each)}
            choices={SUBJECTS}
          />
          <Button type="submit" disabled={check.isPending}>
            {t('workspaces.checkIt')}
          </Button>
        </div>
        <JsonField
          label={t('workspaces.resource')}
          hint={t('workspaces.resourceHint')}
          value={resource}
          onChange={setResource}
        />
        {check.error !== null && <ErrorBox error={check.error} />}
        <div role="status">
          {check.data !== undefined && (
            <p className={check.data.allowed ? styles.yes : styles.no}>
              {t(check.data.allowed ? 'workspaces.allowed' : 'workspaces.refused', {
                reason: check.data.reason,
              })}
            </p>
          )}
        </div>
      </form>
    </Section>
  );
}
