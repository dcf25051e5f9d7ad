import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api/client.js';
import { t } from '../../i18n/language.js';
import { ChoiceField } from '../../ui/controls/field.js';
import { Section } from '../../ui/data/section.js';
import { ConfirmButton } from '../../ui/overlays/confirm-dialog.js';
import { FormDialog } from '../../ui/overlays/form-dialog.js';
import { moment } from '../../values/dates.js';
import { nameOf } from '../../values/names.js';
import { DialogButton } from '../organization/fields/dialog-button.js';
import { MemberPicker } from '../organization/fields/member-picker.js';
import { ListTable } from '../organization/list-table.js';
import { membersQuery } from '../organization/lists.js';
import { useChange, useOrganization } from '../organization/use-organization.js';
import { type Collaborator, collaboratorsQuery, securityQuery, type Workspace } from './queries.js';

const route = getRouteApi('/shell/workspaces/$workspace');

interface WorkspaceProps {
  readonly workspace: Workspace;
}

/** Who works in the workspace, with which role. */
export function People({ workspace }: WorkspaceProps) {
  const { page = 1 } = route.useSearch();
  const { orgSlug } = useOrganization();
  const { data: members } = useQuery(membersQuery(orgSlug));
  const people = useQuery(collaboratorsQuery(workspace.id, page));
  const named = ({ target: { id } }: Collaborator) => {
    const member = members?.results.find(({ userId }) => userId === id);
    return member === undefined ? id : nameOf(member);
  };
  return (
    <Section
      title={t('workspaces.people')}
      text={t('workspaces.peopleText')}
      actions={
        <DialogButton label={t('workspaces.addPerson')}>
          {close => <AddPerson workspace={workspace} onClose={close} />}
        </DialogButton>
      }
    >
      <ListTable
        label={t('workspaces.people')}
        query={people}
        columns={[
          { title: t('organization.person'), cell: named },
          { title: t('organization.role'), cell: ({ role }: Collaborator) => role },
          { title: t('workspaces.since'), cell: ({ createdAt }: Collaborator) => moment(createdAt) },
          {
            title: t('organization.actions'),
            align: 'end' as const,
            cell: (person: Collaborator) => (
              <RemovePerson workspace={workspace} userId={person.target.id} name={named(person)} />
            ),
          },
        ]}
        itemKey={({ target }) => target.id}
        empty={t('workspaces.peopleNone')}
        page={page}
      />
    </Section>
  );
}

interface RemovePersonProps extends WorkspaceProps {
  readonly userId: string;
  readonly name: string;
}

function RemovePerson({ workspace, userId, name }: RemovePersonProps) {
  const change = useChange();
  const remove = () =>
    change(() => api.workspaces.revokeWorkspacePermission({ workspaceId: workspace.id, userId }));
  return (
    <ConfirmButton
      label={t('organization.remove')}
      name={t('organization.removeOf', { name })}
      title={t('workspaces.removePersonTitle', { name, workspace: workspace.name })}
      run={remove}
    >
      <p>{t('workspaces.removePersonText')}</p>
    </ConfirmButton>
  );
}

/** Gives a member of the organization a role in the workspace. The last one given applies. */
function AddPerson({ workspace, onClose }: WorkspaceProps & { readonly onClose: () => void }) {
  const change = useChange();
  const { data } = useQuery(securityQuery(workspace.id));
  const [member, setMember] = useState('');
  const [role, setRole] = useState('editor');
  const target = member.includes('@') ? { email: member } : { id: member };
  return (
    <FormDialog
      title={t('workspaces.addPerson')}
      action={t('organization.add')}
      onClose={onClose}
      send={() =>
        change(() => api.workspaces.grantWorkspacePermission({ workspaceId: workspace.id, target, role }))
      }
      isComplete={member !== ''}
    >
      <MemberPicker label={t('organization.person')} value={member} onChange={setMember} />
      <ChoiceField
        label={t('organization.role')}
        value={role}
        onChange={name => setRole(name)}
        choices={Object.keys(data?.authorizations.roles ?? { editor: {} })}
      />
    </FormDialog>
  );
}
