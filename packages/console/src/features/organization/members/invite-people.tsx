import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.js';
import { t } from '../../../i18n/language.js';
import { Field, TextArea } from '../../../ui/controls/field.js';
import { FormDialog } from '../../../ui/overlays/form-dialog.js';
import { GroupChecks } from '../fields/group-checks.js';
import { RoleSelect } from '../fields/role-select.js';
import { entriesOf } from '../fields/texts.js';
import { organizationQuery } from '../lists.js';
import { useChange, useOrganization } from '../use-organization.js';

/** Invites people by their addresses: all of them or none. They become members when they accept. */
export function InvitePeople({ onClose }: { readonly onClose: () => void }) {
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
          <Field label={t('organization.addresses')} hint={t('organization.addressesHint')}>
            {control => (
              <TextArea
                {...control}
                value={text}
                autoComplete="off"
                onChange={event => setText(event.target.value)}
              />
            )}
          </Field>
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
