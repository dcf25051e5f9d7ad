import { api } from '../../../api/client.js';
import type { CollectionInfo } from '../../../api/collection-query.js';
import { t } from '../../../i18n/language.js';
import { ConfirmDialog } from '../../../ui/overlays/confirm-dialog.js';
import { FormDialog } from '../../../ui/overlays/form-dialog.js';
import type { Webhook } from '../queries.js';
import { DeliveriesDialog } from './deliveries-dialog.js';
import { RotateWebhookDialog } from './rotate-webhook-dialog.js';
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
