import { useState } from 'react';
import { api } from '../../../api/client.js';
import type { CollectionInfo } from '../../../api/collection-query.js';
import { t } from '../../../i18n/language.js';
import { DEFAULT_GRACE, GRACE_SECONDS, type Grace, GraceField } from '../../../ui/controls/grace-field.js';
import { SecretOnce } from '../../../ui/controls/secret-once.js';
import { ConfirmDialog } from '../../../ui/overlays/confirm-dialog.js';
import { FormDialog } from '../../../ui/overlays/form-dialog.js';
import styles from '../../access/access.module.css';
import type { Webhook } from '../queries.js';
import { DeliveriesDialog } from './deliveries-dialog.js';
import { useWebhookReload } from './webhook-changes.js';
import { WebhookDialog } from './webhook-dialog.js';

/** What a dialog is open for. */
export type WebhookTask =
  | { readonly kind: 'add' }
  | {
      readonly kind: 'deliveries' | 'edit' | 'rotate' | 'switch' | 'remove';
      readonly webhook: Webhook;
    };

interface TaskDialogProps {
  readonly info: CollectionInfo;
  readonly task: WebhookTask;
  readonly onClose: () => void;
}

/** The dialog of a task of a webhook. */
export function WebhookTaskDialog({ info, task, onClose }: TaskDialogProps) {
  const reload = useWebhookReload();
  const collection_id = info.collection_id;
  if (task.kind === 'add') return <WebhookDialog info={info} onClose={onClose} />;
  const { kind, webhook } = task;
  const of = { collection_id, webhook_id: webhook.id };
  if (kind === 'edit') return <WebhookDialog info={info} webhook={webhook} onClose={onClose} />;
  if (kind === 'deliveries') return <DeliveriesDialog info={info} webhook={webhook} onClose={onClose} />;
  if (kind === 'rotate') return <RotateWebhookDialog info={info} webhook={webhook} onClose={onClose} />;
  if (kind === 'switch') {
    const active = webhook.status !== 'active';
    return (
      <FormDialog
        title={t(active ? 'activity.switchOnTitle' : 'activity.switchOffTitle', { url: webhook.url })}
        action={t(active ? 'activity.switchOn' : 'activity.switchOff')}
        onClose={onClose}
        send={async () => {
          await api.webhooks.updateWebhook({ ...of, active });
          await reload();
        }}
      >
        <p>{t(active ? 'activity.switchOnText' : 'activity.switchOffText')}</p>
      </FormDialog>
    );
  }
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={t('activity.removeTitle', { url: webhook.url })}
      action={t('activity.removeNow')}
      run={async () => {
        await api.webhooks.deleteWebhook(of);
        await reload();
      }}
    >
      <p>{t('activity.removeText')}</p>
    </ConfirmDialog>
  );
}

interface RotateWebhookDialogProps {
  readonly info: CollectionInfo;
  readonly webhook: Webhook;
  readonly onClose: () => void;
}

/** Gives a webhook a new secret, and shows it this once. */
function RotateWebhookDialog({ info, webhook, onClose }: RotateWebhookDialogProps) {
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
