import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { t } from '../../../i18n/language.js';
import { Section } from '../../../ui/data/section.js';
import { moment } from '../../../values/date-time.js';
import { nameOf } from '../../../values/person.js';
import { DialogButton } from '../fields/dialog-button.js';
import { NameCell } from '../fields/name-cell.js';
import { ListTable } from '../list-table.js';
import { groupsQuery, type Member, membersQuery, rolesQuery } from '../lists.js';
import { useOrganization } from '../use-organization.js';
import { InvitePeople } from './invite-people.js';
import { MemberActions } from './member-actions.js';

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
  const columns = [
    {
      title: t('organization.person'),
      cell: (member: Member) => (
        <NameCell
          name={nameOf(member)}
          below={nameOf(member) === member.email ? undefined : member.email}
          badges={[member.userId === me.id && t('organization.you')]}
          warnings={[member.status === 'disabled' && t('organization.disabled')]}
        />
      ),
    },
    { title: t('organization.role'), cell: ({ roleSlug }: Member) => named(roleSlug, roles?.results) },
    {
      title: t('organization.groups'),
      cell: (member: Member) => member.groups.map(slug => named(slug, groups?.results)).join(', '),
    },
    { title: t('organization.joined'), cell: ({ joinedAt }: Member) => moment(joinedAt) },
    ...(may('orgs:members:manage')
      ? [
          {
            title: t('organization.actions'),
            align: 'end' as const,
            cell: (member: Member) => <MemberActions member={member} roles={roles?.results ?? []} />,
          },
        ]
      : []),
  ];
  return (
    <Section
      title={t('organization.members')}
      text={t('organization.membersText')}
      actions={
        may('orgs:members:manage') && (
          <DialogButton look="primary" label={t('organization.invitePeople')}>
            {close => <InvitePeople onClose={close} />}
          </DialogButton>
        )
      }
    >
      <ListTable
        label={t('organization.members')}
        query={members}
        columns={columns}
        itemKey={({ userId }) => userId}
        empty={t('organization.membersNone')}
        page={page}
      />
    </Section>
  );
}
