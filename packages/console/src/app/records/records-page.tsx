import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { TcError } from '@typed-collections/client';
import { collectionQuery } from '../../api/collection-query.js';
import { recordsRoute } from '../../api/routes.js';
import { t } from '../../i18n/language.js';
import { EmptyState, ErrorBox, Loading } from '../../ui/states.js';
import { RecordsView } from './records-view.js';

/** The records of one collection. */
export function RecordsPage() {
  const { collection } = recordsRoute.useParams();
  const { data, error, refetch } = useQuery(collectionQuery(collection));
  if (error instanceof TcError && error.status === 404) return <CollectionGone />;
  if (data === undefined) {
    return error === null ? <Loading lines={8} /> : <ErrorBox error={error} onRetry={() => void refetch()} />;
  }
  return <RecordsView key={data.collection_id} info={data} />;
}

/** The collection was deleted, or is no longer shared, while its page was open. */
function CollectionGone() {
  return (
    <EmptyState
      title={t('records.goneTitle')}
      actions={<Link to="/collections">{t('collections.title')}</Link>}
    >
      {t('records.goneText')}
    </EmptyState>
  );
}
