import { useQuery } from '@tanstack/react-query';
import { t } from '../../i18n/language.js';
import { Button } from '../../ui/controls/button.js';
import { Loading } from '../../ui/states/loading.js';
import { ChartFigures } from './chart-figures.js';
import styles from './charts.module.css';
import { countDistinct } from './charts-data.js';
import { type Chart, newChartId } from './model/chart.js';
import { type Proposal, proposalsFor } from './model/proposals.js';
import type { ColumnTypes } from './model/read-chart.js';

interface ProposalsProps {
  readonly collection: string;
  /** The columns of the schema, without the system fields. */
  readonly columns: ColumnTypes;
  readonly types: ColumnTypes;
  /** Saves a proposal, for those who may. */
  readonly onSave?: ((chart: Chart) => void) | undefined;
  readonly onOpen: (chart: Chart) => void;
}

/** Charts that fit the columns of a collection without charts, as they would look. */
export function Proposals({ collection, columns, types, onSave, onOpen }: ProposalsProps) {
  const { data } = useQuery({
    queryKey: ['chart-proposals', collection, columns],
    queryFn: ({ signal }) => proposalsFor(columns, column => countDistinct(collection, column, signal)),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (data === undefined) return <Loading lines={5} />;
  return (
    <div className={styles.cards}>
      {data.map(proposal => {
        const chart = { ...proposal.chart, title: titleOf(proposal) };
        return (
          <article key={proposal.kind} className={styles.card} aria-label={chart.title}>
            <h2>{chart.title}</h2>
            <ChartFigures collection={collection} chart={chart} types={types} asTable={false} />
            <div className={styles.buttons}>
              {onSave !== undefined && (
                <Button look="primary" onClick={() => onSave({ ...chart, id: newChartId() })}>
                  {t('charts.addThis')}
                  <span className="visually-hidden">{chart.title}</span>
                </Button>
              )}
              <Button onClick={() => onOpen({ ...chart, id: newChartId() })}>
                {t('charts.changeThis')}
                <span className="visually-hidden">{chart.title}</span>
              </Button>
            </div>
          </article>
        );
      })}
    </div>
  );
}

function titleOf({ kind, column }: Proposal): string {
  return t(`charts.proposal_${kind}`, { column });
}
