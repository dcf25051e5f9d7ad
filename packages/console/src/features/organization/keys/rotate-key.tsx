import { useState } from 'react';
import { api } from '../../../api/client.js';
import { t } from '../../../i18n/language.js';
import { Field, Select } from '../../../ui/controls/field.js';
import { RotateDialog } from '../fields/rotate-dialog.js';
import type { OrgKey } from '../lists.js';
import { useOrganization } from '../use-organization.js';
import { KeySecret } from './key-secret.js';

/** How long the old secret may stay valid, in seconds. */
const GRACES = [
  { seconds: 0, label: 'organization.graceNone' },
  { seconds: 3_600, label: 'organization.graceHour' },
  { seconds: 86_400, label: 'organization.graceDay' },
] as const;

/** Gives a key a new secret, and shows it once. */
export function RotateKey({ orgKey, onClose }: { readonly orgKey: OrgKey; readonly onClose: () => void }) {
  const { orgSlug } = useOrganization();
  const [graceSeconds, setGrace] = useState(3_600);
  const { id: keyId, name } = orgKey;
  const rotate = async () =>
    (await api.organizationApiKeys.rotateOrgApiKey({ orgSlug, keyId, graceSeconds })).apiKey;
  return (
    <RotateDialog
      name={name}
      onClose={onClose}
      rotate={rotate}
      shown={secret => <KeySecret name={name} secret={secret} />}
    >
      <Field label={t('organization.grace')} hint={t('organization.graceHint')}>
        {control => (
          <Select {...control} value={graceSeconds} onChange={event => setGrace(Number(event.target.value))}>
            {GRACES.map(({ seconds, label }) => (
              <option key={seconds} value={seconds}>
                {t(label)}
              </option>
            ))}
          </Select>
        )}
      </Field>
    </RotateDialog>
  );
}
