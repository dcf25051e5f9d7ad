import { useState } from 'react';
import { api } from '../../../api/client.js';
import type { CollectionInfo } from '../../../api/collection-query.js';
import { t } from '../../../i18n/language.js';
import { CheckList } from '../../../ui/controls/check-list.js';
import { Code } from '../../../ui/controls/code.js';
import { ChoiceField, TextField } from '../../../ui/controls/field.js';
import { SecretOnce } from '../../../ui/controls/secret-once.js';
import { FormDialog } from '../../../ui/overlays/form-dialog.js';
import styles from '../access.module.css';
import { useAccessReload } from '../queries.js';
import { endsAfter, grantable, type KeyPermission, LIFETIMES, slugFor } from './key-permissions.js';

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
          <ChoiceField
            label={t('access.keyExpires')}
            value={String(days)}
            onChange={each => setDays(Number(each))}
            choices={LIFETIMES.map(String)}
            textOf={each => t('access.inDays', { days: Number(each) })}
          />
        </>
      ) : (
        <SecretOfKey info={info} apiKey={created} />
      )}
    </FormDialog>
  );
}

/** What creating and rotating a key return. */
export interface NewSecret {
  readonly name: string;
  readonly secret: string;
  readonly permissions: readonly string[];
}

interface SecretOfKeyProps {
  readonly info: CollectionInfo;
  readonly apiKey: NewSecret;
}

/** The secret of a key, with a command that uses it. */
export function SecretOfKey({ info, apiKey: { name, secret, permissions } }: SecretOfKeyProps) {
  const mayRead = permissions.some(each => each === 'collections:read' || each === 'collections:*');
  const path = `${location.origin}/v1/collections/${info.collection_id}${mayRead ? '/data?limit=5' : ''}`;
  return (
    <SecretOnce label={t('access.secretOf', { name })} secret={secret}>
      <p className={styles.quiet}>{t('access.tryIt')}</p>
      <Code
        text={`curl '${path}' -H 'x-platform-api-key: ${secret}'`}
        label={t('access.curl')}
        copyLabel={t('common.copyOf', { name: t('access.curl') })}
      />
    </SecretOnce>
  );
}
