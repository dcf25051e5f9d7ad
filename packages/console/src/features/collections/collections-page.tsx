import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { isAllowed } from '../../api/permissions.js';
import { meQuery } from '../../api/session.js';
import { t } from '../../i18n/language.js';
import { Button } from '../../ui/controls/button.js';
import { CollectionList } from './collection-list.js';
import styles from './collections.module.css';
import { ListControls } from './list-controls.js';
import { listRoute } from './route.js';

const CreateDialog = lazy(async () => ({
  default: (await import('./create/create-dialog.js')).CreateDialog,
}));

/** The collections that the person may see: own ones and those of others. */
export function CollectionsPage() {
  const { create = false } = listRoute.useSearch();
  const navigate = listRoute.useNavigate();
  const { data: me } = useQuery(meQuery);
  const mayCreate = isAllowed(me, 'collections:create');
  const setCreate = (open: boolean) =>
    void navigate({
      search: ({ create: _, ...rest }) => ({ ...rest, ...(open && { create: true as const }) }),
    });
  return (
    <div className={styles.page}>
      <div className={styles.heading}>
        <h1>{t('collections.title')}</h1>
        {mayCreate && (
          <Button look="primary" icon={<Plus size={18} aria-hidden />} onClick={() => setCreate(true)}>
            {t('collections.create')}
          </Button>
        )}
      </div>
      <ListControls />
      <CollectionList mayCreate={mayCreate} onCreate={() => setCreate(true)} />
      {isAllowed(me, 'collections:delete') && (
        <p>
          <Link to="/trash">{t('collections.trash_title')}</Link>
        </p>
      )}
      <Suspense>{mayCreate && create && <CreateDialog onClose={() => setCreate(false)} />}</Suspense>
    </div>
  );
}
