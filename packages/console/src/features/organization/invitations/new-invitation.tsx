import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.js';
import { t } from '../../../i18n/language.js';
import { NumberField } from '../../../ui/controls/number-field.js';
import { SecretOnce } from '../../../ui/controls/secret-once.js';
import { TextField } from '../../../ui/controls/text-field.js';
import { FormDialog } from '../../../ui/overlays/form-dialog.js';
import { RoleSelect } from '../fields/role-select.js';
import { endOfDay } from '../fields/texts.js';
import { organizationQuery } from '../lists.js';
import { useChange, useOrganization } from '../use-organization.js';

/** Makes an invitation with a code, and shows its link and its code once. */
export function NewInvitation({ onClose }: { readonly onClose: () => void }) {
  const { orgSlug } = useOrganization();
  const { data: organization } = useQuery(organizationQuery(orgSlug));
  const change = useChange();
  const [role, setRole] = useState<string>();
  const [email, setEmail] = useState('');
  const [uses, setUses] = useState('1');
  const [until, setUntil] = useState('');
  const [made, setMade] = useState<{ readonly url: string; readonly code: string }>();
  const roleSlug = role ?? organization?.defaultRole ?? '';
  const send = async () => {
    const address = email.trim();
    const invitation = {
      roleSlug,
      expiresAt: endOfDay(until),
      ...(address === '' ? { maxUses: Number(uses) } : { email: address }),
    };
    setMade(await change(() => api.invitations.createOrgInvite({ orgSlug, ...invitation })));
  };
  return (
    <FormDialog
      title={t('organization.newInvitation')}
      action={t('organization.newInvitationMake')}
      onClose={onClose}
      send={send}
      staysOpen
      isDone={made !== undefined}
      isComplete={roleSlug !== ''}
    >
      {made === undefined ? (
        <>
          <RoleSelect label={t('organization.role')} value={roleSlug} onChange={setRole} />
          <TextField
            label={t('organization.onlyFor')}
            hint={t('organization.onlyForHint')}
            type="email"
            maxLength={320}
            value={email}
            onChange={setEmail}
          />
          {email.trim() === '' && (
            <NumberField
              label={t('organization.maxUses')}
              min={1}
              max={100_000}
              value={uses}
              onChange={setUses}
            />
          )}
          <TextField
            label={t('organization.lastDay')}
            hint={t('organization.lastDayHint')}
            type="date"
            value={until}
            onChange={setUntil}
          />
        </>
      ) : (
        <>
          <SecretOnce label={t('organization.invitationLink')} secret={made.url} />
          <SecretOnce label={t('organization.invitationCode')} secret={made.code} />
        </>
      )}
    </FormDialog>
  );
}
