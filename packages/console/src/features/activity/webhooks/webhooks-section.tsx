import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import type { CollectionInfo } from '../../../api/collection-query.js';
import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import { Section } from '../../../ui/data/section.js';
import { SimpleTable } from '../../../ui/data/simple-table.js';
import { moment } from '../../../values/date-time.js';
import styles from '../../access/access.module.css';
import { type Webhook, webhooksQuery } from '../queries.js';
import { activityRoute } from '../route.js';
import { type WebhookTask, WebhookTaskDialog } from './task-dialog.js';
import { WebhookMenu } from './webhook-menu.js';

/** The webhooks of the collection. */
export function WebhooksSection({ info }: { readonly info: CollectionInfo }) {
  const { collection } = activityRoute.useParams();
  const { data, error, refetch } = useQuery(webhooksQuery(collection));
  const [task, setTask] = useState<WebhookTask>();
  return (
    <Section
      title={t('activity.webhooks')}
      text={t('activity.webhooksText')}
      actions={
        <Button icon={<Plus size={16} aria-hidden />} onClick={() => setTask({ kind: 'add' })}>
          {t('activity.addWebhook')}
        </Button>
      }
    >
      <SimpleTable
        label={t('activity.webhooks')}
        items={data?.items}
        itemKey={({ id }) => id}
        error={error}
        onRetry={() => void refetch()}
        empty={<p className={styles.quiet}>{t('activity.noWebhooks')}</p>}
        columns={[
          { title: t('activity.url'), cell: ({ url }) => url },
          { title: t('activity.on'), cell: eventsOf },
          { title: t('activity.status'), cell: statusOf },
          {
            title: t('activity.actions'),
            align: 'end',
            cell: webhook => <WebhookMenu webhook={webhook} onTask={setTask} />,
          },
        ]}
      />
      {task !== undefined && <WebhookTaskDialog info={info} task={task} onClose={() => setTask(undefined)} />}
    </Section>
  );
}

function eventsOf({ events, filter }: Webhook): string {
  const names = events.map(event => t(`activity.change_${event}`)).join(', ');
  return filter === null ? names : `${names} · ${t('activity.filtered')}`;
}

function statusOf({ status, failing_since: since }: Webhook): string {
  const name = t(`activity.status_${status}`);
  return since === null ? name : `${name} · ${t('activity.failingSince', { date: moment(since) })}`;
}
