import { useQuery } from '@tanstack/react-query';
import { MoreHorizontal, Plus } from 'lucide-react';
import { useState } from 'react';
import type { CollectionInfo } from '../../../api/collection-query.js';
import { activityRoute } from '../../../api/routes.js';
import { t } from '../../../i18n/language.js';
import { Button, IconButton } from '../../../ui/controls/button.js';
import { Section } from '../../../ui/data/section.js';
import { SimpleTable } from '../../../ui/data/simple-table.js';
import { Menu, MenuItem, MenuSeparator } from '../../../ui/overlays/menu.js';
import { moment } from '../../../values/dates.js';
import styles from '../../access/access.module.css';
import { type Webhook, webhooksQuery } from '../queries.js';
import { type WebhookTask, WebhookTaskDialog } from './task-dialog.js';

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

interface WebhookMenuProps {
  readonly webhook: Webhook;
  readonly onTask: (task: WebhookTask) => void;
}

/** What can be done with one webhook. */
function WebhookMenu({ webhook, onTask }: WebhookMenuProps) {
  const choose = (kind: Exclude<WebhookTask['kind'], 'add'>) => () => onTask({ kind, webhook });
  return (
    <Menu
      trigger={
        <IconButton
          label={t('activity.actionsOf', { url: webhook.url })}
          icon={<MoreHorizontal size={18} aria-hidden />}
        />
      }
    >
      <MenuItem onSelect={choose('deliveries')}>{t('activity.deliveries')}</MenuItem>
      <MenuItem onSelect={choose('edit')}>{t('activity.edit')}</MenuItem>
      <MenuItem onSelect={choose('rotate')}>{t('activity.newSecret')}</MenuItem>
      <MenuItem onSelect={choose('switch')}>
        {t(webhook.status === 'active' ? 'activity.switchOff' : 'activity.switchOn')}
      </MenuItem>
      <MenuSeparator />
      <MenuItem onSelect={choose('remove')}>{t('activity.remove')}</MenuItem>
    </Menu>
  );
}
