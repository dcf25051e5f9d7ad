import { useQuery } from '@tanstack/react-query';
import { t } from '../../i18n/language.js';
import { ErrorBox } from '../../ui/error-box.js';
import { Loading } from '../../ui/loading.js';
import { collectionQuery } from '../collection-query.js';
import { chartsQuery } from './charts-data.js';
import { ChartsOf } from './charts-of.js';
import { chartsRoute } from './route.js';

/** The charts of one collection, or the editor of one of them. */
export function ChartsPage() {
  const { collection } = chartsRoute.useParams();
  const info = useQuery(collectionQuery(collection));
  const saved = useQuery(chartsQuery(collection));
  const failed = info.error === null ? saved : info;
  return (
    <>
      <h1 className="visually-hidden">{t('charts.title')}</h1>
      {info.data !== undefined && saved.data !== undefined ? (
        <ChartsOf collection={collection} info={info.data} saved={saved.data} />
      ) : failed.error === null ? (
        <Loading lines={8} />
      ) : (
        <ErrorBox error={failed.error} onRetry={() => void failed.refetch()} />
      )}
    </>
  );
}
