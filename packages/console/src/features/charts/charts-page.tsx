import { useQuery } from '@tanstack/react-query';
import { collectionQuery } from '../../api/collection-query.js';
import { ErrorBox } from '../../ui/states/error-box.js';
import { Loading } from '../../ui/states/loading.js';
import { chartsQuery } from './charts-data.js';
import { ChartsOf } from './charts-of.js';
import { chartsRoute } from './route.js';

/** The charts of one collection, or the editor of one of them. */
export function ChartsPage() {
  const { collection } = chartsRoute.useParams();
  const info = useQuery(collectionQuery(collection));
  const saved = useQuery(chartsQuery(collection));
  if (info.data !== undefined && saved.data !== undefined) {
    return <ChartsOf collection={collection} info={info.data} saved={saved.data} />;
  }
  const failed = info.error === null ? saved : info;
  if (failed.error === null) return <Loading lines={8} />;
  return <ErrorBox error={failed.error} onRetry={() => void failed.refetch()} />;
}
