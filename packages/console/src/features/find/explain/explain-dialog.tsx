import { useQuery } from '@tanstack/react-query';
import { client } from '../../../api/client.js';
import { t } from '../../../i18n/language.js';
import { sortQuery } from '../../../records/grid/columns/sort.js';
import { Dialog } from '../../../ui/overlays/dialog.js';
import { ErrorBox } from '../../../ui/states/error-box.js';
import { Loading } from '../../../ui/states/loading.js';
import type { Finder } from '../use-finder.js';
import { AdviceView } from './advice-view.js';
import styles from './explain.module.css';
import { PlanTree } from './plan-tree.js';

interface ExplainDialogProps {
  readonly finder: Finder;
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}

/** Records of the page that is explained: the first one, as the grid reads it. */
const PAGE = { cursor: '', limit: 200 };

/** How the database finds the records that the page shows, and the index that would help. */
export default function ExplainDialog({ finder, open, onOpenChange }: ExplainDialogProps) {
  const { collection, search } = finder;
  const { filter, sort } = search;
  const explanation = useQuery({
    queryKey: ['find', 'explain', collection.collection_id, filter, sort],
    queryFn: ({ signal }) =>
      client
        .collection(collection.collection_id)
        .find(filter, { sort: sortQuery(sort), signal })
        .explain(PAGE),
    enabled: open,
    staleTime: 0,
    gcTime: 0,
  });
  const { data, error } = explanation;
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={t('schema.explainTitle')} shape="panel">
      <div className={styles.explanation} aria-live="polite">
        <p className={styles.quiet}>{t('schema.explainText')}</p>
        {error !== null && <ErrorBox error={error} onRetry={() => void explanation.refetch()} />}
        {data === undefined && error === null && <Loading lines={4} />}
        {data !== undefined && (
          <>
            <p className={styles.summary}>
              {t('schema.explained', {
                scanned: data.scanned_rows,
                returned: data.returned_rows,
                ms: data.duration_ms,
              })}
            </p>
            <AdviceView
              explanation={data}
              collection={collection}
              onBuilt={() => void explanation.refetch()}
            />
            <h3>{t('schema.plan')}</h3>
            <PlanTree plan={data.plan} total={data.duration_ms} />
          </>
        )}
      </div>
    </Dialog>
  );
}
