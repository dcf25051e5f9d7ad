import { MoreHorizontal } from 'lucide-react';
import { t } from '../../../i18n/language.js';
import { IconButton } from '../../../ui/controls/button.js';
import { Menu, MenuItem, MenuSeparator } from '../../../ui/overlays/menu.js';
import type { Webhook } from '../queries.js';
import type { WebhookTask } from './task-dialog.js';

interface WebhookMenuProps {
  readonly webhook: Webhook;
  readonly onTask: (task: WebhookTask) => void;
}

/** What can be done with one webhook. */
export function WebhookMenu({ webhook, onTask }: WebhookMenuProps) {
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
