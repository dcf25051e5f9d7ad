import { useState } from 'react';
import { api } from '../../../api/client.js';
import type { CollectionInfo } from '../../../api/collection-query.js';
import { t } from '../../../i18n/language.js';
import { DEFAULT_GRACE, GRACE_SECONDS, type Grace, GraceField } from '../../../ui/controls/grace-field.js';
import { SecretOnce } from '../../../ui/controls/secret-once.js';
import { FormDialog } from '../../../ui/overlays/form-dialog.js';
import styles from '../../access/access.module.css';
import type { Webhook } from '../queries.js';
import { useWebhookReload } from './webhook-changes.js';

interface RotateWebhookDialogProps {
  readonly info: CollectionInfo;
  readonly webhook: Webhook;
  readonly onClose: () => void;
}

/** Gives a webhook a new secret, and shows it this once. */
export function RotateWebhookDialog({ info, webhook, onClose }: RotateWebhookDialogProps) {
  const [grace, setGrace] = useState<Grace>(DEFAULT_GRACE);
  const [secret, setSecret] = useState<string>();
  const reload = useWebhookReload();
  const send = async () => {
    const rotated = await api.webhooks.rotateWebhookSecret({
      collection_id: info.collection_id,
      webhook_id: webhook.id,
      grace_seconds: GRACE_SECONDS[grace],
    });
    setSecret(rotated.secret);
    await reload();
  };
  return (
    <FormDialog
      title={t('activity.rotateTitle', { url: webhook.url })}
      action={t('activity.newSecret')}
      onClose={onClose}
      send={send}
      staysOpen
      isDone={secret !== undefined}
    >
      {secret === undefined ? (
        <GraceField grace={grace} onChange={setGrace} hint={t('activity.graceHint')} />
      ) : (
        <SecretOnce label={t('activity.secretOf', { url: webhook.url })} secret={secret}>
          <p className={styles.quiet}>{t('activity.secretUse')}</p>
        </SecretOnce>
      )}
    </FormDialog>
  );
}
