import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api } from '../../../api/client.js';
import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import { SimpleTable } from '../../../ui/data/simple-table.js';
import { Dialog } from '../../../ui/overlays/dialog.js';
import { ErrorBox } from '../../../ui/states.js';
import { fullName, nameOf } from '../../../values/names.js';
import { MemberPicker } from '../fields/member-picker.js';
import { NameCell } from '../fields/name-cell.js';
import { type Group, type Member, ORGANIZATION, PER_PAGE } from '../lists.js';
import { useChange, useOrganization } from '../use-organization.js';
import styles from './groups.module.css';

const groupMembersQuery = (orgSlug: string, slug: string) =>
  queryOptions({
    queryKey: [...ORGANIZATION, orgSlug, 'groups', slug],
    queryFn: ({ signal }) => api.groups.listOrgGroupMembers({ orgSlug, slug, limit: PER_PAGE }, { signal }),
  });

type GroupMember = Pick<Member, 'userId' | 'email' | 'firstName' | 'lastName'>;

/** Who is in a group. Those who may can add and remove people. */
export function GroupMembers({ group, onClose }: { readonly group: Group; readonly onClose: () => void }) {
  const { orgSlug, may } = useOrganization();
  const change = useChange();
  const { slug, name } = group;
  const { data, error, refetch } = useQuery(groupMembersQuery(orgSlug, slug));
  const remove = useMutation({
    mutationFn: (userId: string) => change(() => api.groups.removeOrgGroupMember({ orgSlug, slug, userId })),
  });
  const mayManage = may('orgs:groups:manage');
  const columns = [
    {
      title: t('organization.person'),
      cell: (member: GroupMember) => (
        <NameCell name={nameOf(member)} below={fullName(member) === '' ? undefined : member.email} />
      ),
    },
    ...(mayManage
      ? [
          {
            title: t('organization.actions'),
            align: 'end' as const,
            cell: (member: GroupMember) => (
              <Button
                aria-label={t('organization.removeOf', { name: nameOf(member) })}
                disabled={remove.isPending}
                onClick={() => remove.mutate(member.userId)}
              >
                {t('organization.remove')}
              </Button>
            ),
          },
        ]
      : []),
  ];
  return (
    <Dialog
      open
      onOpenChange={open => !open && onClose()}
      title={t('organization.membersOf', { name })}
      footer={<Button onClick={onClose}>{t('common.close')}</Button>}
    >
      <div className={styles.stack}>
        {mayManage && <AddToGroup group={group} present={data?.results ?? []} />}
        {remove.error !== null && <ErrorBox error={remove.error} />}
        <SimpleTable
          label={t('organization.membersOf', { name })}
          columns={columns}
          items={data?.results}
          itemKey={({ userId }) => userId}
          error={error}
          onRetry={() => void refetch()}
          empty={t('organization.groupEmpty')}
        />
        {data !== undefined && data.results.length < data.total && (
          <p className={styles.quiet}>
            {t('organization.firstOf', { shown: data.results.length, total: data.total })}
          </p>
        )}
      </div>
    </Dialog>
  );
}

interface AddToGroupProps {
  readonly group: Group;
  readonly present: readonly GroupMember[];
}

function AddToGroup({ group: { slug }, present }: AddToGroupProps) {
  const { orgSlug } = useOrganization();
  const change = useChange();
  const [member, setMember] = useState('');
  const user = member.includes('@') ? { email: member } : { userId: member };
  const add = useMutation({
    mutationFn: () => change(() => api.groups.addOrgGroupMembers({ orgSlug, slug, users: [user] })),
    onSuccess: () => setMember(''),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (member !== '') add.mutate();
  };
  return (
    <form className={styles.stack} onSubmit={submit}>
      <div className={styles.add}>
        <MemberPicker
          label={t('organization.memberToAdd')}
          value={member}
          onChange={setMember}
          without={present.map(({ userId }) => userId)}
        />
        <Button type="submit" disabled={member === '' || add.isPending}>
          {t('organization.add')}
        </Button>
      </div>
      {add.error !== null && <ErrorBox error={add.error} />}
    </form>
  );
}
