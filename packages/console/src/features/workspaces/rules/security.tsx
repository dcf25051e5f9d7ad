import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { t } from '../../../i18n/language.js';
import { TextField } from '../../../ui/controls/field.js';
import { Section } from '../../../ui/data/section.js';
import { SimpleTable } from '../../../ui/data/simple-table.js';
import { ConfirmButton } from '../../../ui/overlays/confirm-dialog.js';
import { FormDialog } from '../../../ui/overlays/form-dialog.js';
import { DialogButton } from '../../organization/fields/dialog-button.js';
import { NameCell } from '../../organization/fields/name-cell.js';
import organizationStyles from '../../organization/organization.module.css';
import { securityQuery, type Workspace } from '../queries.js';
import styles from '../workspaces.module.css';
import { BUILT_IN, listOf, type Rule, withRule } from './rule.js';
import { RuleDialog } from './rule-dialog.js';
import { useSecurityChange } from './use-security.js';

interface WorkspaceProps {
  readonly workspace: Workspace;
}

interface NamedRole {
  readonly name: string;
  readonly description?: string;
}

/** The roles and rules of a workspace, for those who administer it. */
export function Security({ workspace }: WorkspaceProps) {
  const { data, error, refetch } = useQuery(securityQuery(workspace.id));
  const { roles = {}, rules } = data?.authorizations ?? {};
  const names = Object.keys(roles);
  const list = { error, onRetry: () => void refetch() };
  return (
    <>
      <Section
        title={t('organization.roles')}
        text={t('workspaces.rolesText')}
        actions={
          <DialogButton label={t('organization.newRole')}>
            {close => <RoleDialog workspace={workspace} onClose={close} />}
          </DialogButton>
        }
      >
        <SimpleTable<NamedRole>
          {...list}
          label={t('organization.roles')}
          columns={[
            {
              title: t('organization.role'),
              cell: ({ name }) => (
                <NameCell name={name} badges={[BUILT_IN.includes(name) && t('organization.builtIn')]} />
              ),
            },
            { title: t('workspaces.description'), cell: ({ description }) => description },
            {
              title: t('organization.actions'),
              align: 'end',
              cell: ({ name }) =>
                !BUILT_IN.includes(name) && <DeleteRole workspace={workspace} name={name} />,
            },
          ]}
          items={data && names.map(name => ({ name, ...roles[name] }))}
          itemKey={({ name }) => name}
          empty=""
        />
      </Section>
      <Section
        title={t('workspaces.rules')}
        text={t('workspaces.rulesText')}
        actions={
          <DialogButton label={t('workspaces.newRule')}>
            {close => <RuleDialog workspace={workspace} roles={names} onClose={close} />}
          </DialogButton>
        }
      >
        <SimpleTable<Rule>
          {...list}
          label={t('workspaces.rules')}
          columns={[
            { title: t('workspaces.rule'), cell: rule => <RuleText rule={rule} /> },
            {
              title: t('workspaces.conditions'),
              cell: ({ conditions }) =>
                conditions !== undefined && (
                  <span className={styles.mono}>{JSON.stringify(conditions).slice(0, 200)}</span>
                ),
            },
            { title: t('workspaces.priority'), cell: ({ priority = 0 }) => priority },
            {
              title: t('organization.actions'),
              align: 'end',
              cell: rule => <RuleActions workspace={workspace} roles={names} rule={rule} />,
            },
          ]}
          items={rules}
          itemKey={rule => JSON.stringify(rule)}
          empty={t('workspaces.rulesNone')}
        />
      </Section>
    </>
  );
}

/** The rule in a sentence. */
function sentenceOf({ action, subject, role, inverted }: Rule): string {
  return t(inverted ? 'workspaces.ruleForbids' : 'workspaces.ruleAllows', {
    who: role ?? t('workspaces.everybody'),
    actions: listOf(action).join(', '),
    subjects: listOf(subject).join(', '),
  });
}

function RuleText({ rule }: { readonly rule: Rule }) {
  const { fields, reason } = rule;
  const more = [fields && t('workspaces.onlyFields', { fields: fields.join(', ') }), reason].filter(Boolean);
  return <NameCell name={sentenceOf(rule)} below={more.length > 0 ? more.join(' · ') : undefined} />;
}

function DeleteRole({ workspace, name }: WorkspaceProps & { readonly name: string }) {
  const change = useSecurityChange(workspace.id);
  const remove = () =>
    change(({ roles: { [name]: _, ...roles }, rules }) => ({
      roles,
      rules: rules.filter(({ role }) => role !== name),
    }));
  return (
    <ConfirmButton
      label={t('organization.delete')}
      name={t('organization.deleteOf', { name })}
      title={t('organization.deleteRoleTitle', { name })}
      run={remove}
    >
      <p>{t('workspaces.deleteRoleText')}</p>
    </ConfirmButton>
  );
}

interface RuleActionsProps extends WorkspaceProps {
  readonly roles: readonly string[];
  readonly rule: Rule;
}

function RuleActions({ workspace, roles, rule }: RuleActionsProps) {
  const change = useSecurityChange(workspace.id);
  const name = sentenceOf(rule);
  const remove = () =>
    change(now => {
      const rules = withRule(now.rules, rule, undefined);
      return rules && { ...now, rules };
    });
  return (
    <div className={organizationStyles.actions}>
      <DialogButton label={t('organization.change')} name={t('organization.changeOf', { name })}>
        {close => <RuleDialog workspace={workspace} roles={roles} rule={rule} onClose={close} />}
      </DialogButton>
      <ConfirmButton
        label={t('organization.delete')}
        name={t('organization.deleteOf', { name })}
        title={t('workspaces.deleteRuleTitle')}
        run={remove}
      >
        <p>{name}</p>
      </ConfirmButton>
    </div>
  );
}

const NAME = '[A-Za-z0-9][A-Za-z0-9_\\-]*';

/** A new role. It allows nothing until a rule names it. */
function RoleDialog({ workspace, onClose }: { readonly workspace: Workspace; readonly onClose: () => void }) {
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
