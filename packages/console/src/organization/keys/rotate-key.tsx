import { useState } from 'react';
import { api } from '../../api/client.js';
import { t } from '../../i18n/language.js';
import { Field, Select } from '../../ui/controls/field.js';
import { FormDialog } from '../../ui/overlays/form-dialog.js';
import type { OrgKey } from '../lists.js';
import { useChange, useOrganization } from '../use-organization.js';
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
  const change = useChange();
  const [graceSeconds, setGrace] = useState(3_600);
  const [secret, setSecret] = useState<string>();
  const { id: keyId, name } = orgKey;
  const send = async () => {
    const rotated = await change(() =>
      api.organizationApiKeys.rotateOrgApiKey({ orgSlug, keyId, graceSeconds }),
    );
    setSecret(rotated.apiKey);
  };
  return (
    <FormDialog
      title={t('organization.rotateTitle', { name })}
      action={t('organization.rotate')}
      onClose={onClose}
      send={send}
      staysOpen
      isDone={secret !== undefined}
    >
      {secret === undefined ? (
        <Field label={t('organization.grace')} hint={t('organization.graceHint')}>
          {control => (
            <Select
              {...control}
              value={graceSeconds}
              onChange={event => setGrace(Number(event.target.value))}
            >
              {GRACES.map(({ seconds, label }) => (
                <option key={seconds} value={seconds}>
                  {t(label)}
                </option>
              ))}
            </Select>
          )}
        </Field>
      ) : (
        <KeySecret name={name} secret={secret} />
      )}
    </FormDialog>
  );
}
