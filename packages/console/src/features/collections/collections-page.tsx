import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { api, client } from '../../api/client.js';
import { isAllowed } from '../../api/permissions.js';
import { listRoute } from '../../api/routes.js';
import { meQuery } from '../../api/session.js';
import { language, t } from '../../i18n/language.js';
import { Button } from '../../ui/controls/button.js';
import { Pages } from '../../ui/data/pages.js';
import { EmptyState, ErrorBox, Loading, titleOf } from '../../ui/states.js';
import { roleName } from '../../values/names.js';
import styles from './collections.module.css';
import { ListControls } from './list-controls.js';
import type { CollectionsSearch } from './search.js';

const CreateDialog = lazy(async () => ({
  default: (await import('./create-dialog.js')).CreateDialog,
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

const FirstSteps = lazy(async () => ({ default: (await import('./first-steps/first-steps.js')).FirstSteps }));

interface CollectionListProps {
  readonly mayCreate: boolean;
  readonly onCreate: () => void;
}

/** The table with its pages, or why there is nothing to show. */
function CollectionList({ mayCreate, onCreate }: CollectionListProps) {
  const search = listRoute.useSearch();
  const { data, error, refetch } = useQuery(listQuery(search));
  if (error !== null && data === undefined) return <ErrorBox error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading lines={6} />;
  if (data.total === 0 && search.q === undefined && search.show === undefined) {
    return mayCreate ? (
      <Suspense fallback={<Loading />}>
        <FirstSteps onCreate={onCreate} />
      </Suspense>
    ) : (
      <EmptyState title={t('collections.emptyTitle')}>{t('collections.emptyReader')}</EmptyState>
    );
  }
  if (data.items.length === 0) return <NothingFound {...search} />;
  return (
    <>
      {error !== null && <ErrorBox error={error} onRetry={() => void refetch()} />}
      <CollectionsTable items={data.items} />
      <Pages label={t('collections.title')} page={data.page} perPage={PER_PAGE} total={data.total} />
    </>
  );
}

function NothingFound({ q, show }: { readonly q?: string | undefined; readonly show?: string | undefined }) {
  const all = (
    <Link to="/collections" search={{}}>
      {t('collections.showAll')}
    </Link>
  );
  if (q !== undefined) return <EmptyState title={t('collections.nothingFound', { text: q })} actions={all} />;
  const title =
    show === 'own' ? 'collections.emptyOwn' : show === 'shared' ? 'collections.emptyShared' : undefined;
  return <EmptyState title={t(title ?? 'collections.emptyPage')} actions={all} />;
}

/** One row for each collection. Narrow screens show owner and role below the name. */
function CollectionsTable({ items }: { readonly items: readonly ListedCollection[] }) {
  return (
    <table className={styles.table}>
      <caption className="visually-hidden">{t('collections.title')}</caption>
      <thead>
        <tr>
          <th scope="col">{t('collections.name')}</th>
          <th scope="col" className={styles.secondary}>
            {t('collections.owner')}
          </th>
          <th scope="col" className={styles.secondary}>
            {t('collections.role')}
          </th>
          <th scope="col" className={styles.secondary}>
            {t('collections.updated')}
          </th>
          <th scope="col" className={styles.number}>
            {t('collections.records')}
          </th>
        </tr>
      </thead>
      <tbody>
        {items.map(item => (
          <Row key={item.collection_id} item={item} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ item }: { readonly item: ListedCollection }) {
  const { collection_id: id, name, description, updated_at: updated } = item;
  const owner = item.owner_name ?? t('collections.ownerUnknown');
  return (
    <tr>
      <th scope="row">
        <Link to="/collections/$collection" params={{ collection: id }} className={styles.name}>
          {name}
        </Link>
        {description !== null && description !== '' && (
          <span className={styles.description}>{description.slice(0, 200)}</span>
        )}
        <span className={styles.below}>
          {owner} · {roleName(item.my_role)}
        </span>
      </th>
      <td className={styles.secondary}>{owner}</td>
      <td className={styles.secondary}>{roleName(item.my_role)}</td>
      <td className={styles.secondary}>
        <time dateTime={updated} title={new Date(updated).toLocaleString(language())}>
          {new Intl.DateTimeFormat(language(), { dateStyle: 'medium' }).format(new Date(updated))}
        </time>
      </td>
      <td className={styles.number}>
        {item.my_rights.includes('read') && <CountButton id={id} name={name} />}
      </td>
    </tr>
  );
}

/** Counts the records when asked: counting reads the whole collection. Leaving the page ends it. */
function CountButton({ id, name }: { readonly id: string; readonly name: string }) {
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['count', id],
    queryFn: ({ signal }) => client.collection(id).find({}, { signal }).count(),
    enabled: false,
  });
  return (
    <span role="status" className={styles.count}>
      {isFetching && t('collections.counting')}
      {!isFetching && error !== null && <span className={styles.problem}>{titleOf(error)}</span>}
      {!isFetching && data !== undefined && t('collections.counted', { count: data })}
      {!isFetching && data === undefined && (
        <Button
          look="plain"
          className={styles.countButton}
          aria-label={t('collections.countOf', { name })}
          onClick={() => void refetch()}
        >
          {t('collections.count')}
        </Button>
      )}
    </span>
  );
}

const PER_PAGE = 25;

const SCOPES = { own: 'owned', shared: 'shared' } as const;

/** One page of the list. The old page stays visible while the next one is loaded. */
const listQuery = ({ q, sort = 'name', show, page = 1 }: CollectionsSearch) =>
  queryOptions({
    queryKey: ['collections', { q, sort, show, page }],
    queryFn: ({ signal }) =>
      api.collections.listCollections(
        {
          scope: show === undefined ? 'all' : SCOPES[show],
          sort,
          page,
          limit: PER_PAGE,
          ...(q !== undefined && { q }),
        },
        { signal },
      ),
    placeholderData: keepPreviousData,
  });

type ListPage = Awaited<ReturnType<typeof api.collections.listCollections>>;

/** A collection as the list has it. */
type ListedCollection = ListPage['items'][number];
