import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, Outlet, useNavigate, useSearch } from '@tanstack/react-router';
import { TcError } from '@typed-collections/client';
import { MoreHorizontal } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../api/client.js';
import { type CollectionInfo, collectionQuery } from '../../api/collection-query.js';
import { collectionRoute } from '../../api/routes.js';
import { featuresQuery } from '../../api/session.js';
import { t } from '../../i18n/language.js';
import { IconButton } from '../../ui/controls/button.js';
import { useOpenLink, useTitle } from '../../ui/hooks.js';
import { ConfirmDialog } from '../../ui/overlays/confirm-dialog.js';
import { Menu, MenuItem } from '../../ui/overlays/menu.js';
import { EmptyState, ErrorBox, Loading } from '../../ui/states.js';
import { roleName } from '../../values/names.js';
import styles from './collection-page.module.css';

/** The tabs whose links keep the instant of the past. */
const RECORDS = '/collections/$collection';
const CHARTS = '/collections/$collection/charts';

/** The pages of a collection. A tab is shown to those who have one of the rights that its page needs. */
const TABS = [
  { to: RECORDS, title: 'collections.records', needs: ['read'] },
  { to: CHARTS, title: 'collections.charts', needs: ['read'] },
  { to: '/collections/$collection/import', title: 'import.title', needs: ['write'] },
  { to: '/collections/$collection/schema', title: 'schema.title', needs: ['read'] },
  { to: '/collections/$collection/access', title: 'access.title', needs: ['share', 'keys'] },
  { to: '/collections/$collection/activity', title: 'activity.title', needs: ['manage', 'webhooks'] },
] as const;

/** The frame of the pages of one collection: its name, its owner, and the tabs. */
export function CollectionPage() {
  const { collection } = collectionRoute.useParams();
  const { data, error, refetch } = useQuery(collectionQuery(collection));
  useTitle(data?.name);
  if (data !== undefined) {
    return (
      <div className={styles.frame}>
        <CollectionHeader collection={collection} info={data} />
        <div className={styles.part}>
          <Outlet />
        </div>
      </div>
    );
  }
  return (
    <div className={styles.without}>
      {error === null && <Loading lines={8} />}
      {error instanceof TcError && error.status === 404 && <NoCollection />}
      {error !== null && !(error instanceof TcError && error.status === 404) && (
        <ErrorBox error={error} onRetry={() => void refetch()} />
      )}
    </div>
  );
}

interface CollectionHeaderProps {
  /** The collection as the address names it. */
  readonly collection: string;
  readonly info: CollectionInfo;
}

function CollectionHeader({ collection, info }: CollectionHeaderProps) {
  const owner = info.owner_name ?? t('collections.ownerUnknown');
  const params = { collection };
  const tabs = useOpenLink();
  const { as_of: asOf } = useSearch({ strict: false });
  return (
    <header className={styles.header}>
      <nav aria-label={t('collections.path')} className={styles.path}>
        <Link to="/collections">{t('collections.title')}</Link>
        <span aria-hidden>/</span>
      </nav>
      <h1 className={styles.name}>{info.name}</h1>
      <p className={styles.about}>
        {t('collections.ownerAndRole', { owner, role: roleName(info.my_role) })}
        {info.description !== null && info.description !== '' && ` · ${info.description.slice(0, 300)}`}
      </p>
      <CollectionMenu info={info} />
      <nav ref={tabs} aria-label={t('collections.parts')} className={styles.tabs}>
        {TABS.map(
          ({ to, title, needs }) =>
            needs.some(right => info.my_rights.includes(right)) && (
              <Link
                key={to}
                to={to}
                params={params}
                search={asOf !== undefined && (to === RECORDS || to === CHARTS) ? { as_of: asOf } : {}}
                activeOptions={{ exact: to === RECORDS, includeSearch: false }}
              >
                {t(title)}
              </Link>
            ),
        )}
      </nav>
    </header>
  );
}

function NoCollection() {
  return (
    <>
      <h1 className="visually-hidden">{t('errors.CollectionNotFound')}</h1>
      <EmptyState
        title={t('errors.CollectionNotFound')}
        actions={<Link to="/collections">{t('collections.showAll')}</Link>}
      />
    </>
  );
}

/** What can be done with the collection as a whole. Nothing is shown to those who may not. */
function CollectionMenu({ info }: { readonly info: CollectionInfo }) {
  const { name, collection_id, my_rights } = info;
  const [isDeleting, setDeleting] = useState(false);
  const { data: features } = useQuery(featuresQuery);
  const cache = useQueryClient();
  const navigate = useNavigate();
  if (!my_rights.includes('delete')) return null;
  const days = features?.trash_days ?? 0;
  const run = async () => {
    await api.collections.deleteCollection({ collection_id });
    await navigate({ to: '/collections' });
    await Promise.all([
      cache.invalidateQueries({ queryKey: ['collections'] }),
      cache.invalidateQueries({ queryKey: ['trash'] }),
    ]);
  };
  return (
    <>
      <Menu
        trigger={
          <IconButton
            label={t('collections.trash_menuOf', { name })}
            icon={<MoreHorizontal size={18} aria-hidden />}
          />
        }
      >
        <MenuItem onSelect={() => setDeleting(true)}>{t('collections.trash_delete')}</MenuItem>
      </Menu>
      <ConfirmDialog
        open={isDeleting}
        onClose={() => setDeleting(false)}
        title={t('collections.trash_deleteTitle', { name })}
        action={t('collections.trash_deleteNow')}
        run={run}
        typedName={name}
      >
        <p>{days > 0 ? t('collections.trash_deleteText', { days }) : t('collections.trash_deleteForGood')}</p>
        <p>{t('collections.trash_deleteKeys')}</p>
      </ConfirmDialog>
    </>
  );
}
