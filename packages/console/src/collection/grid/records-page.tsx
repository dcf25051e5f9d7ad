import { useQuery } from '@tanstack/react-query';
import { t } from '../../i18n/language.js';
import { ErrorBox } from '../../ui/error-box.js';
import { Loading } from '../../ui/loading.js';
import { collectionQuery } from '../collection-query.js';
import { Finder } from '../find/finder.js';
import { recordsRoute } from './route.js';
import { RecordsToolbar } from './toolbar/records-toolbar.js';

/** The records of one collection: the toolbar, the grid, and the panel of a record. */
export function RecordsPage() {
  const { collection } = recordsRoute.useParams();
  const { data, error, refetch } = useQuery(collectionQuery(collection));
  if (data === undefined) {
    return error === null ? <Loading lines={8} /> : <ErrorBox error={error} onRetry={() => void refetch()} />;
  }
  return (
    <section aria-label={t('records.title')}>
      <RecordsToolbar finder={<Finder />} />
    </section>
  );
}
