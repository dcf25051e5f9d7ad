import { useState } from 'react';
import { api } from '../../../api/client.js';
import type { CollectionInfo } from '../../../api/collection-query.js';
import { type ApiKey } from '../../../api/directory-queries.js';
import { t } from '../../../i18n/language.js';
import { DEFAULT_GRACE, GRACE_SECONDS, type Grace, GraceField } from '../../../ui/controls/grace-field.js';
import { FormDialog } from '../../../ui/overlays/form-dialog.js';
import { useAccessReload } from '../use-access-change.js';
import { type NewSecret, SecretOfKey } from './secret-of-key.js';

interface RotateDialogProps {
  readonly info: CollectionInfo;
  readonly apiKey: ApiKey;
  readonly onClose: () => void;
}

/** Gives a key a new secret, and shows it this once. */
export function RotateDialog({ info, apiKey, onClose }: RotateDialogProps) {
  const [grace, setGrace] = useState<Grace>(DEFAULT_GRACE);
  const [rotated, setRotated] = useState<NewSecret>();
  const reload = useAccessReload();
  const send = async () => {
    const key = await api.apiKeys.rotateApiKey({
      collection_id: info.collection_id,
      key_id: apiKey.id,
      grace_seconds: GRACE_SECONDS[grace],
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
        <GraceField grace={grace} onChange={setGrace} hint={t('access.graceHint')} />
      ) : (
        <SecretOfKey info={info} apiKey={rotated} />
      )}
    </FormDialog>
  );
}
