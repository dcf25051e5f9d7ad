import { useState } from 'react';
import { api } from '../../../api/client.js';
import { t } from '../../../i18n/language.js';
import { SecretOnce } from '../../../ui/controls/secret-once.js';
import { FormDialog } from '../../../ui/overlays/form-dialog.js';
import { moment } from '../../../values/date-time.js';
import { nameOf } from '../../../values/person.js';
import type { Member } from '../lists.js';
import { useOrganization } from '../use-organization.js';

/** Makes a sign-in link for a member who lost every way to sign in, and shows it once. */
export function RecoveryLink({ member, onClose }: { readonly member: Member; readonly onClose: () => void }) {
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
