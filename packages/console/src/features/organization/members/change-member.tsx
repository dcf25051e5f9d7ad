import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.js';
import { meQuery } from '../../../api/session.js';
import { t } from '../../../i18n/language.js';
import { FormDialog } from '../../../ui/overlays/form-dialog.js';
import { nameOf } from '../../../values/person.js';
import { GroupChecks } from '../fields/group-checks.js';
import { RoleSelect } from '../fields/role-select.js';
import type { Member } from '../lists.js';
import { useChange, useOrganization } from '../use-organization.js';

/** Gives a member another role, and other groups. */
export function ChangeMember({ member, onClose }: { readonly member: Member; readonly onClose: () => void }) {
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
