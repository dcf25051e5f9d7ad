import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { t } from '../../i18n/language.js';
import { Pages } from '../../ui/data/pages.js';
import { EmptyState } from '../../ui/states/empty-state.js';
import { ErrorBox } from '../../ui/states/error-box.js';
import { Loading } from '../../ui/states/loading.js';
import { CollectionsTable } from './collections-table.js';
import { listQuery, PER_PAGE } from './list-query.js';
import { listRoute } from './route.js';

const FirstSteps = lazy(async () => ({ default: (await import('./first-steps/first-steps.js')).FirstSteps }));

interface CollectionListProps {
  readonly mayCreate: boolean;
  readonly onCreate: () => void;
}

/** The table with its pages, or why there is nothing to show. */
export function CollectionList({ mayCreate, onCreate }: CollectionListProps) {
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
