import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.js';
import type { CollectionInfo } from '../../../api/collection-query.js';
import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import { ChoiceField } from '../../../ui/controls/field.js';
import { SimpleTable } from '../../../ui/data/simple-table.js';
import { Dialog } from '../../../ui/overlays/dialog.js';
import { ErrorBox } from '../../../ui/states.js';
import { moment } from '../../../values/dates.js';
import styles from '../../access/access.module.css';
import { type Delivery, type DeliveryStatus, deliveriesQuery, type Webhook } from '../queries.js';
import { useWebhookReload } from './webhook-changes.js';

const STATUSES = ['pending', 'delivered', 'dead'] as const;

interface DeliveriesDialogProps {
  readonly info: CollectionInfo;
  readonly webhook: Webhook;
  readonly onClose: () => void;
}

/** The messages of a webhook with the answers of its endpoint, and a test message. */
export function DeliveriesDialog({ info, webhook, onClose }: DeliveriesDialogProps) {
  const [status, setStatus] = useState<DeliveryStatus>();
  const reload = useWebhookReload();
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetching } = useInfiniteQuery(
    deliveriesQuery(info.collection_id, webhook.id, status),
  );
  const of = { collection_id: info.collection_id, webhook_id: webhook.id };
  const onSettled = () => reload(webhook.id);
  const test = useMutation({ mutationFn: () => api.webhooks.testWebhook(of), onSettled });
  const redeliver = useMutation({
    mutationFn: ({ id }: Delivery) => api.webhooks.redeliverDelivery({ ...of, delivery_id: id }),
    onSettled,
  });
  const refusal = test.error ?? redeliver.error;
  return (
    <Dialog
      open
      onOpenChange={open => !open && onClose()}
      title={t('activity.deliveriesOf', { url: webhook.url })}
      shape="wide"
      footer={
        <Button disabled={test.isPending} onClick={() => test.mutate()}>
          {t('activity.test')}
        </Button>
      }
    >
      <div className={styles.stack}>
        <ChoiceField
          label={t('activity.status')}
          className={styles.role}
          value={status ?? ''}
          onChange={each => setStatus(each || undefined)}
          choices={['', ...STATUSES]}
          textOf={each => (each === '' ? t('activity.everything') : t(`activity.delivery_${each}`))}
        />
        {refusal !== null && <ErrorBox error={refusal} />}
        <SimpleTable
          label={t('activity.deliveries')}
          items={data?.pages.flatMap(({ items }) => items)}
          itemKey={({ id }) => id}
          error={error}
          onRetry={() => void refetch()}
          empty={t('activity.noDeliveries')}
          columns={[
            { title: t('activity.when'), cell: ({ created_at }) => moment(created_at) },
            { title: t('activity.status'), cell: deliveryStatus },
            { title: t('activity.response'), cell: responseOf },
            { title: t('activity.changes'), align: 'end', cell: ({ changes }) => String(changes) },
            {
              title: t('activity.actions'),
              align: 'end',
              cell: delivery =>
                delivery.status !== 'pending' && (
                  <Button
                    aria-label={t('activity.redeliverOf', { date: moment(delivery.created_at) })}
                    disabled={redeliver.isPending}
                    onClick={() => redeliver.mutate(delivery)}
                  >
                    {t('activity.redeliver')}
                  </Button>
                ),
            },
          ]}
        />
        {hasNextPage && (
          <Button disabled={isFetching} onClick={() => void fetchNextPage()}>
            {t('activity.older')}
          </Button>
        )}
      </div>
    </Dialog>
  );
}

function deliveryStatus({ status, due_at: due }: Delivery): string {
  const name = t(`activity.delivery_${status}`);
  return status === 'pending' && due !== null
    ? `${name} · ${t('activity.nextAt', { date: moment(due) })}`
    : name;
}

function responseOf({ attempts, last_status: status, last_attempt_at: last }: Delivery): string {
  if (last === null) return t('activity.notTried');
  const response = status === null ? t('activity.noResponse') : String(status);
  return `${response} · ${t('activity.attempts', { count: attempts })}`;
}
