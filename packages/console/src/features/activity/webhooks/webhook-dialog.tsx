import { useState } from 'react';
import { api } from '../../../api/client.js';
import type { CollectionInfo } from '../../../api/collection-query.js';
import { t } from '../../../i18n/language.js';
import { CheckList } from '../../../ui/controls/check-list.js';
import { TextAreaField, TextField } from '../../../ui/controls/field.js';
import { SecretOnce } from '../../../ui/controls/secret-once.js';
import { FormDialog } from '../../../ui/overlays/form-dialog.js';
import styles from '../../access/access.module.css';
import type { Webhook } from '../queries.js';
import { filterOf, filterText } from './filter-text.js';
import { useWebhookReload } from './webhook-changes.js';

const EVENTS = ['inserted', 'updated', 'deleted', 'expired'] as const;

interface WebhookDialogProps {
  readonly info: CollectionInfo;
  /** Undefined: a new webhook. */
  readonly webhook?: Webhook;
  readonly onClose: () => void;
}

/** Sets up a webhook, or changes one. The secret of a new one is shown this once. */
export function WebhookDialog({ info, webhook, onClose }: WebhookDialogProps) {
  const [url, setUrl] = useState(webhook?.url ?? '');
  const [events, setEvents] = useState<readonly string[]>(webhook?.events ?? EVENTS);
  const [filter, setFilter] = useState(filterText(webhook?.filter ?? null));
  const [secret, setSecret] = useState<string>();
  const reload = useWebhookReload();
  const parsed = filterOf(filter);
  const send = async () => {
    const settings = {
      collection_id: info.collection_id,
      url: url.trim(),
      events: [...events],
      filter: parsed ?? null,
    };
    if (webhook === undefined) setSecret((await api.webhooks.createWebhook(settings)).secret);
    else await api.webhooks.updateWebhook({ ...settings, webhook_id: webhook.id });
    await reload();
  };
  return (
    <FormDialog
      title={
        webhook === undefined
          ? t('activity.addTitle', { name: info.name })
          : t('activity.editTitle', { url: webhook.url })
      }
      action={t(webhook === undefined ? 'activity.add' : 'common.save')}
      onClose={onClose}
      send={send}
      staysOpen={webhook === undefined}
      isDone={secret !== undefined}
      isComplete={url.trim() !== '' && events.length > 0 && parsed !== undefined}
    >
      {secret !== undefined ? (
        <SecretOnce label={t('activity.secretOf', { url })} secret={secret}>
          <p className={styles.quiet}>{t('activity.secretUse')}</p>
        </SecretOnce>
      ) : (
        <>
          <TextField
            label={t('activity.url')}
            hint={t('activity.urlHint')}
            type="url"
            required
            value={url}
            placeholder="https://"
            onChange={setUrl}
          />
          <CheckList
            label={t('activity.on')}
            choices={EVENTS.map(value => ({ value, label: t(`activity.change_${value}`) }))}
            chosen={events}
            onChange={chosen => setEvents(EVENTS.filter(each => chosen.includes(each)))}
          />
          <TextAreaField
            label={t('activity.filter')}
            hint={t('activity.filterHint')}
            error={parsed === undefined ? t('activity.filterWrong') : undefined}
            spellCheck={false}
            value={filter}
            onChange={setFilter}
          />
        </>
      )}
    </FormDialog>
  );
}
