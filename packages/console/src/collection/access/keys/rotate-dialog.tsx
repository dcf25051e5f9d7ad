import { useState } from 'react';
import { api } from '../../../api/client.js';
import { t } from '../../../i18n/language.js';
import { Field, Select } from '../../../ui/controls/field.js';
import { FormDialog } from '../../../ui/overlays/form-dialog.js';
import type { CollectionInfo } from '../../collection-query.js';
import type { ApiKey } from '../queries.js';
import { useAccessReload } from '../use-access-change.js';
import { type NewSecret, SecretOfKey } from './secret-of-key.js';

interface RotateDialogProps {
  readonly info: CollectionInfo;
  readonly apiKey: ApiKey;
  readonly onClose: () => void;
}

/** How long the old secret may go on, in seconds. */
const GRACE = { none: 0, hour: 3_600, day: 86_400 } as const;
type Grace = keyof typeof GRACE;

/** Gives a key a new secret, and shows it this once. */
export function RotateDialog({ info, apiKey, onClose }: RotateDialogProps) {
  const [grace, setGrace] = useState<Grace>('hour');
  const [rotated, setRotated] = useState<NewSecret>();
  const reload = useAccessReload();
  const send = async () => {
    const key = await api.apiKeys.rotateApiKey({
      collection_id: info.collection_id,
      key_id: apiKey.id,
      grace_seconds: GRACE[grace],
    });
    setRotated(key);
    await reload();
  };
  return (
    <FormDialog
      title={t('access.rotateTitle', { name: apiKey.name })}
      action={t('access.rotate')}
      onClose={onClose}
      send={send}
      staysOpen
      isDone={rotated !== undefined}
    >
      {rotated === undefined ? (
        <Field label={t('access.grace')} hint={t('access.graceHint')}>
          {control => (
            <Select {...control} value={grace} onChange={({ target }) => setGrace(target.value as Grace)}>
              {(Object.keys(GRACE) as Grace[]).map(each => (
                <option key={each} value={each}>
                  {t(`access.grace_${each}`)}
                </option>
              ))}
            </Select>
          )}
        </Field>
      ) : (
        <SecretOfKey info={info} apiKey={rotated} />
      )}
    </FormDialog>
  );
}
