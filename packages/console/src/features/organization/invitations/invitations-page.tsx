import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { api } from '../../../api/client.js';
import { t } from '../../../i18n/language.js';
import { Section } from '../../../ui/data/section.js';
import { ConfirmButton } from '../../../ui/overlays/confirm-dialog.js';
import { moment } from '../../../values/date-time.js';
import { DialogButton } from '../fields/dialog-button.js';
import { NameCell } from '../fields/name-cell.js';
import { ListTable } from '../list-table.js';
import { type Invitation, invitationsQuery } from '../lists.js';
import { useChange, useOrganization } from '../use-organization.js';
import { NewInvitation } from './new-invitation.js';

const route = getRouteApi('/shell/organization/invitations');

/** The invitations, without their codes: the service stores hashes only. */
export function InvitationsPage() {
  const { page } = route.useSearch();
  const { orgSlug } = useOrganization();
  const invitations = useQuery(invitationsQuery(orgSlug, page));
  const columns = [
    {
      title: t('organization.invitationFor'),
      cell: (invitation: Invitation) => (
        <NameCell
          name={receiverOf(invitation)}
          below={t('organization.createdAt', { date: moment(invitation.createdAt) })}
          badges={[isUsedUp(invitation) && t('organization.usedUp')]}
          warnings={[isExpired(invitation) && t('organization.expired')]}
        />
      ),
    },
    { title: t('organization.role'), cell: ({ roleSlug }: Invitation) => roleSlug },
    {
      title: t('organization.uses'),
      cell: ({ uses, maxUses }: Invitation) => t('organization.usesOf', { uses, most: maxUses }),
    },
    {
      title: t('organization.expires'),
      cell: ({ expiresAt }: Invitation) => (expiresAt === null ? t('organization.never') : moment(expiresAt)),
    },
    {
      title: t('organization.actions'),
      align: 'end' as const,
      cell: (invitation: Invitation) =>
        !isUsedUp(invitation) && !isExpired(invitation) && <Revoke invitation={invitation} />,
    },
  ];
  return (
    <Section
      title={t('organization.invitations')}
      text={t('organization.invitationsText')}
      actions={
        <DialogButton look="primary" label={t('organization.newInvitation')}>
          {close => <NewInvitation onClose={close} />}
        </DialogButton>
      }
    >
      <ListTable
        label={t('organization.invitations')}
        query={invitations}
        columns={columns}
        itemKey={({ id }) => id}
        empty={t('organization.invitationsNone')}
        page={page}
      />
    </Section>
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
