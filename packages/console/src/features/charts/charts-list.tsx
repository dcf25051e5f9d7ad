import { useQueryClient } from '@tanstack/react-query';
import { Plus, RefreshCw } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { t } from '../../i18n/language.js';
import { Button } from '../../ui/controls/button.js';
import { Select } from '../../ui/controls/field.js';
import { ConfirmDialog } from '../../ui/overlays/confirm-dialog.js';
import { EmptyState } from '../../ui/states/empty-state.js';
import { ErrorBox } from '../../ui/states/error-box.js';
import { type ChartActions, ChartCard } from './chart-card.js';
import styles from './charts.module.css';
import type { SavedCharts } from './charts-data.js';
import { ForeignCharts } from './foreign-charts.js';
import { type ChartsChange, moved, withChart, withCopy, withoutChart } from './model/changed-charts.js';
import { type Chart, chartOf, newChartId } from './model/chart.js';
import type { ColumnTypes } from './model/read-chart.js';
import { Proposals } from './proposals.js';

interface ChartsListProps {
  readonly collection: string;
  readonly saved: SavedCharts;
  readonly columns: ColumnTypes;
  readonly types: ColumnTypes;
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
  const { collection, saved, columns, types, mayWrite, error, open, onNew, store, past } = props;
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
              {...{ collection, chart, types, every }}
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
            {...{ collection, columns, types, onOpen: open }}
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
