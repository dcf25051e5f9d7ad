import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { featuresQuery } from '../../api/session.js';
import { t } from '../../i18n/language.js';
import { Button } from '../../ui/controls/button.js';
import { Pages } from '../../ui/data/pages.js';
import { SimpleTable } from '../../ui/data/simple-table.js';
import { EmptyState } from '../../ui/states/empty-state.js';
import { moment } from '../../values/date-time.js';
import { PER_PAGE, type Trashed, trashQuery } from './queries.js';
import { RestoreDialog } from './restore-dialog.js';
import styles from './trash.module.css';

const route = getRouteApi('/shell/trash');

/** The deleted collections that the person may restore. */
export function TrashPage() {
  const { page = 1 } = route.useSearch();
  const { data: features } = useQuery(featuresQuery);
  const { data, error, refetch } = useQuery(trashQuery(page));
  const [restored, setRestored] = useState<Trashed>();
  return (
    <div className={styles.page}>
      <p>
        <Link to="/collections">{t('collections.title')}</Link>
      </p>
      <h1>{t('collections.trash_title')}</h1>
      {features !== undefined && (
        <p className={styles.quiet}>
          {features.trash_days === 0
            ? t('collections.trash_off')
            : t('collections.trash_text', { days: features.trash_days })}
        </p>
      )}
      <SimpleTable
        label={t('collections.trash_title')}
        items={data?.items}
        itemKey={({ collection_id }) => collection_id}
        error={error}
        onRetry={() => void refetch()}
        empty={<EmptyState title={t('collections.trash_empty')} />}
        columns={[
          { title: t('collections.name'), cell: ({ name }) => name },
          {
            title: t('collections.owner'),
            cell: ({ owner_name }) => owner_name ?? t('collections.ownerUnknown'),
          },
          { title: t('collections.trash_deleted'), cell: ({ deleted_at }) => moment(deleted_at) },
          { title: t('collections.trash_until'), cell: ({ restorable_until }) => moment(restorable_until) },
          {
            title: t('collections.trash_actions'),
            align: 'end',
            cell: item => (
              <Button
                aria-label={t('collections.trash_restoreOf', { name: item.name })}
                onClick={() => setRestored(item)}
              >
                {t('collections.trash_restore')}
              </Button>
            ),
          },
        ]}
      />
      {data !== undefined && data.total > PER_PAGE && (
        <Pages label={t('collections.trash_title')} page={page} perPage={PER_PAGE} total={data.total} />
      )}
      {restored !== undefined && <RestoreDialog item={restored} onClose={() => setRestored(undefined)} />}
    </div>
  );
}
