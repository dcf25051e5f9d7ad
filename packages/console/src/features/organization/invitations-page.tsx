import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api/client.js';
import { t } from '../../i18n/language.js';
import { NumberField, TextField } from '../../ui/controls/field.js';
import { SecretOnce } from '../../ui/controls/secret-once.js';
import { ConfirmButton } from '../../ui/overlays/confirm-dialog.js';
import { FormDialog } from '../../ui/overlays/form-dialog.js';
import { moment } from '../../values/dates.js';
import { NameCell } from './fields/name-cell.js';
import { RoleSelect } from './fields/role-select.js';
import { endOfDay } from './fields/texts.js';
import { ListSection } from './list-table.js';
import { type Invitation, invitationsQuery, organizationQuery } from './lists.js';
import { useChange, useOrganization } from './use-organization.js';

const route = getRouteApi('/shell/organization/invitations');

/** The invitations, without their codes: the service stores hashes only. */
export function InvitationsPage() {
  const { page } = route.useSearch();
  const { orgSlug } = useOrganization();
  const invitations = useQuery(invitationsQuery(orgSlug, page));
  return (
    <ListSection
      title={t('organization.invitations')}
      text={t('organization.invitationsText')}
      create={{ label: t('organization.newInvitation'), dialog: close => <NewInvitation onClose={close} /> }}
      actionsOf={invitation =>
        !isUsedUp(invitation) && !isExpired(invitation) && <Revoke invitation={invitation} />
      }
      query={invitations}
      columns={[
        {
          title: t('organization.invitationFor'),
          cell: invitation => (
            <NameCell
              name={receiverOf(invitation)}
              below={t('organization.createdAt', { date: moment(invitation.createdAt) })}
              badges={[isUsedUp(invitation) && t('organization.usedUp')]}
              warnings={[isExpired(invitation) && t('organization.expired')]}
            />
          ),
        },
        { title: t('organization.role'), cell: ({ roleSlug }) => roleSlug },
        {
          title: t('organization.uses'),
          cell: ({ uses, maxUses }) => t('organization.usesOf', { uses, most: maxUses }),
        },
        {
          title: t('organization.expires'),
          cell: ({ expiresAt }) => (expiresAt === null ? t('organization.never') : moment(expiresAt)),
        },
      ]}
      itemKey={({ id }) => id}
      empty={t('organization.invitationsNone')}
      page={page}
    />
  );
}

function isUsedUp({ uses, maxUses }: Invitation): boolean {
  return uses >= maxUses;
}

function isExpired({ expiresAt }: Invitation): boolean {
  return expiresAt !== null && new Date(expiresAt) <= new Date();
}

function receiverOf({ email, userId }: Invitation): string {
  if (email !== null) return email;
  return t(userId === undefined || userId === null ? 'organization.anyone' : 'organization.oneMember');
}

function Revoke({ invitation }: { readonly invitation: Invitation }) {
  const { orgSlug } = useOrganization();
  const change = useChange();
  const name = receiverOf(invitation);
  return (
    <ConfirmButton
      label={t('organization.revoke')}
      name={t('organization.revokeOf', { name })}
      title={t('organization.revokeInvitationTitle', { name })}
      run={() => change(() => api.invitations.revokeOrgInvite({ orgSlug, code: invitation.id }))}
    >
      <p>{t('organization.revokeInvitationText')}</p>
    </ConfirmButton>
  );
}

/** Makes an invitation with a code, and shows its link and its code once. */
function NewInvitation({ onClose }: { readonly onClose: () => void }) {
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
