import { useState } from 'react';
import { api } from '../../../api/client.js';
import type { CollectionInfo } from '../../../api/collection-query.js';
import { t } from '../../../i18n/language.js';
import { CheckList } from '../../../ui/controls/check-list.js';
import { Field, Select } from '../../../ui/controls/field.js';
import { TextField } from '../../../ui/controls/text-field.js';
import { FormDialog } from '../../../ui/overlays/form-dialog.js';
import { useAccessReload } from '../use-access-change.js';
import { endsAfter, grantable, type KeyPermission, LIFETIMES, slugFor } from './key-permissions.js';
import { type NewSecret, SecretOfKey } from './secret-of-key.js';

/** Creates a key, and then shows its secret this once. */
export function KeyDialog({
  info,
  onClose,
}: {
  readonly info: CollectionInfo;
  readonly onClose: () => void;
}) {
  const [name, setName] = useState('');
  const [permissions, setPermissions] = useState<readonly KeyPermission[]>(['collections:read']);
  const [days, setDays] = useState<number>(90);
  const [created, setCreated] = useState<NewSecret>();
  const reload = useAccessReload();
  const send = async () => {
    const key = await api.apiKeys.createApiKey({
      collection_id: info.collection_id,
      name: name.trim(),
      slug: slugFor(name, () => crypto.randomUUID().slice(0, 8)),
      permissions: [...permissions],
      expires_at: endsAfter(days, Date.now()),
    });
    setCreated(key);
    await reload();
  };
  return (
    <FormDialog
      title={t('access.newKeyTitle', { name: info.name })}
      action={t('access.createKey')}
      onClose={onClose}
      send={send}
      staysOpen
      isDone={created !== undefined}
      isComplete={name.trim() !== '' && permissions.length > 0}
    >
      {created === undefined ? (
        <>
          <TextField
            label={t('access.keyName')}
            hint={t('access.keyNameHint')}
            required
            maxLength={100}
            value={name}
            onChange={setName}
          />
          <CheckList
            label={t('access.keyMay')}
            choices={grantable(info).map(({ permission, right }) => ({
              value: permission,
              label: t(`access.right_${right}`),
            }))}
            chosen={permissions}
            onChange={setPermissions}
          />
          <Field label={t('access.keyExpires')}>
            {control => (
              <Select {...control} value={days} onChange={({ target }) => setDays(Number(target.value))}>
                {LIFETIMES.map(each => (
                  <option key={each} value={each}>
                    {t('access.inDays', { days: each })}
                  </option>
                ))}
              </Select>
            )}
          </Field>
        </>
      ) : (
        <SecretOfKey info={info} apiKey={created} />
      )}
    </FormDialog>
  );
}
