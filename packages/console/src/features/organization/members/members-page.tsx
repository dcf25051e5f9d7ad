import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../../api/client.js';
import { meQuery } from '../../../api/session.js';
import { t } from '../../../i18n/language.js';
import { TextAreaField } from '../../../ui/controls/field.js';
import { SecretOnce } from '../../../ui/controls/secret-once.js';
import { ConfirmButton } from '../../../ui/overlays/confirm-dialog.js';
import { FormDialog } from '../../../ui/overlays/form-dialog.js';
import { moment } from '../../../values/dates.js';
import { nameOf } from '../../../values/names.js';
import { DialogButton } from '../fields/dialog-button.js';
import { GroupChecks } from '../fields/group-checks.js';
import { NameCell } from '../fields/name-cell.js';
import { RoleSelect } from '../fields/role-select.js';
import { entriesOf } from '../fields/texts.js';
import { ListSection } from '../list-table.js';
import {
  groupsQuery,
  type Member,
  membersQuery,
  organizationQuery,
  type Role,
  rolesQuery,
} from '../lists.js';
import styles from '../organization.module.css';
import { mayGiveRole } from '../rights.js';
import { useChange, useOrganization } from '../use-organization.js';

const route = getRouteApi('/shell/organization/members');

/** The people of the organization, with their roles and groups. */
export function MembersPage() {
  const { page } = route.useSearch();
  const { me, orgSlug, may } = useOrganization();
  const members = useQuery(membersQuery(orgSlug, page));
  const { data: roles } = useQuery(rolesQuery(orgSlug));
  const { data: groups } = useQuery(groupsQuery(orgSlug));
  const named = (slug: string, list: readonly { slug: string; name: string }[] | undefined) =>
    list?.find(each => each.slug === slug)?.name ?? slug;
  return (
    <ListSection
      title={t('organization.members')}
      text={t('organization.membersText')}
      create={
        may('orgs:members:manage') && {
          label: t('organization.invitePeople'),
          dialog: close => <InvitePeople onClose={close} />,
        }
      }
      actionsOf={
        may('orgs:members:manage') &&
        (member => <MemberActions member={member} roles={roles?.results ?? []} />)
      }
      query={members}
      columns={[
        {
          title: t('organization.person'),
          cell: member => (
            <NameCell
              name={nameOf(member)}
              below={nameOf(member) === member.email ? undefined : member.email}
              badges={[member.userId === me.id && t('organization.you')]}
              warnings={[member.status === 'disabled' && t('organization.disabled')]}
            />
          ),
        },
        { title: t('organization.role'), cell: ({ roleSlug }) => named(roleSlug, roles?.results) },
        {
          title: t('organization.groups'),
          cell: member => member.groups.map(slug => named(slug, groups?.results)).join(', '),
        },
        { title: t('organization.joined'), cell: ({ joinedAt }) => moment(joinedAt) },
      ]}
      itemKey={({ userId }) => userId}
      empty={t('organization.membersNone')}
      page={page}
    />
  );
}

interface MemberActionsProps {
  readonly member: Member;
  /** The roles of the organization. Without them nothing is offered. */
  readonly roles: readonly Role[];
}

/** What somebody who manages members may do with one of them. Nothing for a role that they could not give. */
function MemberActions({ member, roles }: MemberActionsProps) {
  const { me, org, orgSlug } = useOrganization();
  const change = useChange();
  const { userId, roleSlug } = member;
  const name = nameOf(member);
  const role = roles.find(({ slug }) => slug === roleSlug);
  if (role === undefined || !mayGiveRole(me, role)) return null;
  const isOneself = userId === me.id;
  return (
    <div className={styles.actions}>
      <DialogButton label={t('organization.change')} name={t('organization.changeOf', { name })}>
        {close => <ChangeMember member={member} onClose={close} />}
      </DialogButton>
      {!isOneself && member.status === 'active' && (
        <DialogButton label={t('organization.recovery')} name={t('organization.recoveryOf', { name })}>
          {close => <RecoveryLink member={member} onClose={close} />}
        </DialogButton>
      )}
      {!isOneself && (
        <ConfirmButton
          label={t('organization.remove')}
          name={t('organization.removeOf', { name })}
          title={t('organization.removeMemberTitle', { name, org: org.name })}
          run={() => change(() => api.members.removeOrgMember({ orgSlug, userId }))}
        >
          <p>{t('organization.removeMemberText')}</p>
        </ConfirmButton>
      )}
    </div>
  );
}

/** Gives a member another role, and other groups. */
function ChangeMember({ member, onClose }: { readonly member: Member; readonly onClose: () => void }) {
  const { me, orgSlug, may } = useOrganization();
  const queryClient = useQueryClient();
  const change = useChange();
  const [roleSlug, setRole] = useState(member.roleSlug);
  const [groups, setGroups] = useState<readonly string[]>(member.groups);
  const { userId } = member;
  const send = async () => {
    const sent = { roleSlug, ...(may('orgs:groups:manage') && { groups: [...groups] }) };
    await change(() => api.members.updateOrgMember({ orgSlug, userId, ...sent }));
    // One's own rights decide what every page shows.
    if (userId === me.id) await queryClient.invalidateQueries(meQuery);
  };
  return (
    <FormDialog
      title={t('organization.changeMemberTitle', { name: nameOf(member) })}
      action={t('common.save')}
      onClose={onClose}
      send={send}
    >
      <RoleSelect label={t('organization.role')} value={roleSlug} onChange={setRole} />
      <GroupChecks chosen={groups} onChange={setGroups} />
    </FormDialog>
  );
}

/** Makes a sign-in link for a member who lost every way to sign in, and shows it once. */
function RecoveryLink({ member, onClose }: { readonly member: Member; readonly onClose: () => void }) {
  const { orgSlug } = useOrganization();
  const [link, setLink] = useState<{ readonly url: string; readonly expires_at: string }>();
  const name = nameOf(member);
  const { userId } = member;
  return (
    <FormDialog
      title={t('organization.recoveryTitle', { name })}
      action={t('organization.recoveryMake')}
      onClose={onClose}
      send={async () => setLink(await api.members.createRecoveryLink({ orgSlug, userId }))}
      staysOpen
      isDone={link !== undefined}
    >
      {link === undefined ? (
        <p>{t('organization.recoveryText')}</p>
      ) : (
        <SecretOnce label={t('organization.recoveryLinkOf', { name })} secret={link.url}>
          <p>{t('organization.recoveryUntil', { date: moment(link.expires_at) })}</p>
        </SecretOnce>
      )}
    </FormDialog>
  );
}

/** Invites people by their addresses: all of them or none. They become members when they accept. */
function InvitePeople({ onClose }: { readonly onClose: () => void }) {
  const { orgSlug } = useOrganization();
  const { data: organization } = useQuery(organizationQuery(orgSlug));
  const change = useChange();
  const [text, setText] = useState('');
  const [role, setRole] = useState<string>();
  const [groups, setGroups] = useState<readonly string[]>([]);
  const [invited, setInvited] = useState<readonly string[]>();
  const emails = entriesOf(text);
  const roleSlug = role ?? organization?.defaultRole ?? '';
  const send = async () => {
    const users = emails.map(email => ({
      email,
      roleSlug,
      ...(groups.length > 0 && { groups: [...groups] }),
    }));
    await change(() => api.members.addOrgMembers({ orgSlug, users }));
    setInvited(emails);
  };
  return (
    <FormDialog
      title={t('organization.invitePeople')}
      action={t('organization.invite')}
      onClose={onClose}
      send={send}
      staysOpen
      isDone={invited !== undefined}
      isComplete={emails.length > 0 && roleSlug !== ''}
    >
      {invited === undefined ? (
        <>
          <TextAreaField
            label={t('organization.addresses')}
            hint={t('organization.addressesHint')}
            value={text}
            autoComplete="off"
            onChange={setText}
          />
          <RoleSelect label={t('organization.role')} value={roleSlug} onChange={setRole} />
          <GroupChecks chosen={groups} onChange={setGroups} />
        </>
      ) : (
        <div role="status">
          <p>{t('organization.invited', { count: invited.length })}</p>
          <p>{t('organization.invitedText', { address: `${location.origin}/console/account` })}</p>
        </div>
      )}
    </FormDialog>
  );
}
