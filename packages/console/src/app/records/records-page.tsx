import { useQuery } from '@tanstack/react-query';
import { TcError } from '@typed-collections/client';
import { collectionQuery } from '../../api/collection-query.js';
import { recordsRoute } from '../../records/grid/route.js';
import { ErrorBox } from '../../ui/states/error-box.js';
import { Loading } from '../../ui/states/loading.js';
import { RecordsView } from './records-view.js';
import { CollectionGone } from './states/collection-gone.js';

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
