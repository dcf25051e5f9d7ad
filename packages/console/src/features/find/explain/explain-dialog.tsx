import { useQuery } from '@tanstack/react-query';
import type { Explanation, PlanStep } from '@typed-collections/client';
import { client } from '../../../api/client.js';
import type { CollectionInfo } from '../../../api/collection-query.js';
import { collectionRoute } from '../../../api/routes.js';
import { t } from '../../../i18n/language.js';
import { sortQuery } from '../../../records/grid/columns/sort.js';
import { Button } from '../../../ui/controls/button.js';
import { Dialog } from '../../../ui/overlays/dialog.js';
import { ErrorBox, Loading } from '../../../ui/states.js';
import { entryOf, type ServiceIndex } from '../../schema/indexes/index-set.js';
import { useIndexChange } from '../../schema/indexes/use-index-change.js';
import { Refusal } from '../../schema/refusal/refusal.js';
import type { Finder } from '../use-finder.js';
import styles from './explain.module.css';

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

interface PlanTreeProps {
  readonly plan: PlanStep;
  /** The time of the whole read, in milliseconds. */
  readonly total: number;
}

/** The steps of a read, the last one first. Below each step are those that it got its rows from. */
function PlanTree({ plan, total }: PlanTreeProps) {
  return (
    <ul className={styles.plan}>
      <Step plan={plan} total={total} />
    </ul>
  );
}

function Step({ plan: { step, rows, ms, children }, total }: PlanTreeProps) {
  return (
    <li>
      <div className={styles.step}>
        <span>{step}</span>
        <span className={styles.quiet}>{t('schema.stepFigures', { rows, ms })}</span>
        <span
          aria-hidden
          className={styles.share}
          style={{ width: `${Math.min(100, (100 * ms) / Math.max(total, ms, 0.001))}%` }}
        />
      </div>
      {children.length > 0 && (
        <ul>
          {children.map((child, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the steps of a plan do not move
            <Step key={index} plan={child} total={total} />
          ))}
        </ul>
      )}
    </li>
  );
}

interface AdviceViewProps {
  readonly explanation: Explanation;
  readonly collection: CollectionInfo;
  /** The index that was advised is there. */
  readonly onBuilt: () => void;
}

/** The indexes that were used, and the one that would help, with a button that builds it. */
function AdviceView({ explanation, collection, onBuilt }: AdviceViewProps) {
  const { collection: inAddress } = collectionRoute.useParams();
  const build = useIndexChange(collection, inAddress);
  const { advice } = explanation;
  const mayBuild = collection.my_rights.includes('manage') && collection.status === 'ready';
  return (
    <>
      <p>{usedText(explanation)}</p>
      {advice === null && <p>{t('schema.noAdvice')}</p>}
      {advice !== null && (
        <div className={styles.advice}>
          <p>{t('schema.advice', { index: indexText(advice) })}</p>
          {mayBuild ? (
            <Button
              look="primary"
              disabled={build.isPending}
              onClick={() => build.mutate({ add: entryOf(advice) }, { onSuccess: onBuilt })}
            >
              {build.isPending ? t('schema.building') : t('schema.buildAdvice')}
            </Button>
          ) : (
            <p className={styles.quiet}>{t('schema.adviceReader')}</p>
          )}
        </div>
      )}
      {build.error !== null && <Refusal error={build.error} />}
    </>
  );
}

function usedText({ index, indexes, uses_index }: Explanation): string {
  const used = indexes ?? (index === null ? [] : [index]);
  if (used.length > 0) return t('schema.used', { index: used.map(indexText).join('; ') });
  return t(uses_index ? 'schema.usedId' : 'schema.usedNone');
}

function indexText(index: ServiceIndex): string {
  const { kind, properties } = entryOf(index);
  return kind === 'search' ? t('schema.searchOn', { name: properties.join(', ') }) : properties.join(', ');
}
