import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Plus, RefreshCw } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { t } from '../../i18n/language.js';
import { Button } from '../../ui/controls/button.js';
import { Select } from '../../ui/controls/field.js';
import { ConfirmDialog } from '../../ui/overlays/confirm-dialog.js';
import { EmptyState, ErrorBox, Loading } from '../../ui/states.js';
import { type ChartActions, ChartCard } from './chart-card.js';
import { ChartFigures } from './chart-figures.js';
import styles from './charts.module.css';
import { countDistinct, type SavedCharts } from './charts-data.js';
import {
  type ChartsChange,
  moved,
  type StoredCharts,
  withChart,
  withCopy,
  withoutChart,
} from './model/changed-charts.js';
import { type Chart, chartOf, newChartId } from './model/chart.js';
import { type Proposal, proposalsFor } from './model/proposals.js';
import type { ColumnTypes } from './model/read-chart.js';

interface ChartsListProps {
  readonly collection: string;
  readonly saved: SavedCharts;
  readonly columns: ColumnTypes;
  readonly mayWrite: boolean;
  readonly error: unknown;
  readonly open: (chart: Chart) => void;
  readonly onNew: () => void;
  readonly store: (change: ChartsChange) => void;
  /** The button that looks back. */
  readonly past: ReactNode;
}

/** All charts of a collection. Without any, charts that fit its columns are proposed. */
export function ChartsList(props: ChartsListProps) {
  const { collection, saved, columns, mayWrite, error, open, onNew, store, past } = props;
  const [every, setEvery] = useState<number | false>(false);
  const [removed, setRemoved] = useState<Chart>();
  const charts = saved.charts.flatMap(each => chartOf(each) ?? []);
  const others = saved.charts.filter(each => chartOf(each) === undefined);
  const actions: ChartActions = {
    edit: open,
    duplicate: ({ id, title }) =>
      store(withCopy(id, { id: newChartId(), title: t('charts.copyOf', { title }) })),
    move: ({ id }, by) => store(moved(id, by)),
    remove: setRemoved,
  };
  return (
    <section className={styles.page} aria-label={t('charts.title')}>
      <div className={styles.bar}>
        {charts.length > 0 && <Refreshing collection={collection} every={every} onEvery={setEvery} />}
        {past}
        <Button look="primary" icon={<Plus size={16} aria-hidden />} onClick={onNew}>
          {t(mayWrite ? 'charts.newChart' : 'charts.drawChart')}
        </Button>
      </div>
      {error !== null && <ErrorBox error={error} />}
      {charts.length > 0 ? (
        <div className={styles.cards}>
          {charts.map((chart, index) => (
            <ChartCard
              key={`${chart.id} ${charts.findIndex(each => each.id === chart.id) === index ? '' : index}`}
              collection={collection}
              chart={chart}
              every={every}
              actions={mayWrite ? actions : undefined}
            />
          ))}
        </div>
      ) : (
        <>
          <EmptyState title={t('charts.emptyTitle')}>
            {t(mayWrite ? 'charts.emptyWriters' : 'charts.emptyReaders')}
          </EmptyState>
          <Proposals
            collection={collection}
            columns={columns}
            onOpen={open}
            onSave={mayWrite ? chart => store(withChart(chart)) : undefined}
          />
        </>
      )}
      <ForeignCharts charts={others} />
      {removed !== undefined && (
        <ConfirmDialog
          open
          onClose={() => setRemoved(undefined)}
          title={t('charts.removeTitle', { title: removed.title || t('charts.untitled') })}
          action={t('charts.removeNow', { title: removed.title || t('charts.untitled') })}
          run={async () => store(withoutChart(removed.id))}
        >
          <p>{t('charts.removeText')}</p>
        </ConfirmDialog>
      )}
    </section>
  );
}

const INTERVALS = [30, 60, 300] as const;

function Refreshing({
  collection,
  every,
  onEvery,
}: {
  readonly collection: string;
  readonly every: number | false;
  readonly onEvery: (every: number | false) => void;
}) {
  const queries = useQueryClient();
  return (
    <>
      <Select
        aria-label={t('charts.autoRefresh')}
        className={styles.interval}
        value={String(every)}
        onChange={({ currentTarget }) => onEvery(Number(currentTarget.value) || false)}
      >
        <option value="false">{t('charts.noAutoRefresh')}</option>
        {INTERVALS.map(seconds => (
          <option key={seconds} value={seconds * 1_000}>
            {t('charts.everySeconds', { seconds })}
          </option>
        ))}
      </Select>
      <Button
        icon={<RefreshCw size={16} aria-hidden />}
        onClick={() => void queries.invalidateQueries({ queryKey: ['chart-data', collection] })}
      >
        {t('charts.refresh')}
      </Button>
    </>
  );
}

/** Charts that other programs stored in their own shape. They are kept as they are. */
function ForeignCharts({ charts }: { readonly charts: StoredCharts }) {
  if (charts.length === 0) return null;
  return (
    <section className={styles.foreign}>
      <h2>{t('charts.foreignTitle')}</h2>
      <p>{t('charts.foreignText')}</p>
      {charts.map((chart, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they need not have an id
        <details key={index}>
          <summary>{typeof chart.title === 'string' ? chart.title : t('charts.untitled')}</summary>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls needs the focus to be scrolled by keyboard */}
          <pre tabIndex={0}>{textOf(chart)}</pre>
        </details>
      ))}
    </section>
  );
}

const LONGEST = 4_000;

function textOf(chart: object): string {
  const text = JSON.stringify(chart, undefined, 2);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

interface ProposalsProps {
  readonly collection: string;
  /** The columns of the schema, without the system fields. */
  readonly columns: ColumnTypes;
  /** Saves a proposal, for those who may. */
  readonly onSave?: ((chart: Chart) => void) | undefined;
  readonly onOpen: (chart: Chart) => void;
}

/** Charts that fit the columns of a collection without charts, as they would look. */
function Proposals({ collection, columns, onSave, onOpen }: ProposalsProps) {
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
            <ChartFigures collection={collection} chart={chart} asTable={false} />
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
