import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api/client.js';
import { featuresQuery } from '../../api/session.js';
import { t } from '../../i18n/language.js';
import { Button } from '../../ui/controls/button.js';
import { CollectionNameField } from '../../ui/controls/collection-name-field.js';
import { Pages } from '../../ui/data/pages.js';
import { SimpleTable } from '../../ui/data/simple-table.js';
import { FormDialog } from '../../ui/overlays/form-dialog.js';
import { EmptyState } from '../../ui/states.js';
import { moment } from '../../values/dates.js';
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

interface RestoreDialogProps {
  readonly item: Trashed;
  readonly onClose: () => void;
}

/** Brings a deleted collection back and opens it. Its name can be changed, because it may be taken by now. */
function RestoreDialog({ item: { collection_id, name: before }, onClose }: RestoreDialogProps) {
  const [name, setName] = useState(before);
  const cache = useQueryClient();
  const navigate = useNavigate();
  const send = async () => {
    await api.collections.restoreCollection({ collection_id, ...(name !== before && { name }) });
    await Promise.all([
      cache.invalidateQueries({ queryKey: TRASH }),
      cache.invalidateQueries({ queryKey: ['collections'] }),
      cache.resetQueries({ queryKey: ['collection', collection_id] }),
    ]);
    await navigate({ to: '/collections/$collection', params: { collection: collection_id } });
  };
  return (
    <FormDialog
      title={t('collections.trash_restoreTitle', { name: before })}
      action={t('collections.trash_restore')}
      onClose={onClose}
      send={send}
    >
      <p className={styles.quiet}>{t('collections.trash_restoreText')}</p>
      <CollectionNameField value={name} onChange={setName} />
    </FormDialog>
  );
}

const PER_PAGE = 25;

/** The beginning of the keys of the trash, so that a restored collection leaves it. */
const TRASH = ['trash'] as const;

/** One page of the deleted collections that the person may restore. */
const trashQuery = (page: number) =>
  queryOptions({
    queryKey: [...TRASH, page],
    queryFn: ({ signal }) => api.collections.listTrash({ page, limit: PER_PAGE }, { signal }),
  });

type Trashed = Awaited<ReturnType<typeof api.collections.listTrash>>['items'][number];
