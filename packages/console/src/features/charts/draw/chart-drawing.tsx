import { t } from '../../../i18n/language.js';
import { MAX_ROWS, standsUp } from '../geometry/frame.js';
import type { Chart } from '../model/chart.js';
import { type ChartData, MAX_GROUPS_READ } from '../model/read-chart.js';
import { plotOf } from '../model/series.js';
import { AxisChart } from './axis-chart.js';
import { ChartTable, cellText } from './chart-table.js';
import styles from './figure.module.css';
import { PieChart } from './pie-chart.js';
import { valueText, words } from './texts.js';

/** A chart with its data, as it is defined or as a table, and what it leaves out. */
export function ChartDrawing({
  chart,
  data,
  asTable,
}: {
  readonly chart: Chart;
  readonly data: ChartData;
  readonly asTable: boolean;
}) {
  const plot = plotOf(chart, data, words());
  const notes: string[] = [];
  if (data.isCut) {
    notes.push(
      data.unit === undefined
        ? t('charts.cutGroups', { count: MAX_GROUPS_READ })
        : t('charts.cutPeriods', { count: plot.categories.length }),
    );
  }
  const isDrawn = !asTable && chart.type !== 'table' && chart.type !== 'number' && plot.isNumeric;
  if (isDrawn && plot.left > 0) notes.push(t('charts.leftSeries', { count: plot.left }));
  if (isDrawn && !standsUp(plot, chart.type) && plot.categories.length > MAX_ROWS) {
    notes.push(t('charts.leftGroups', { count: plot.categories.length - MAX_ROWS }));
  }
  if (plot.unit !== undefined) notes.push(t('charts.inUtc'));
  return (
    <>
      {data.rows.length === 0 ? (
        <p className={styles.note}>{t('charts.noRecords')}</p>
      ) : asTable || chart.type === 'table' ? (
        <ChartTable chart={chart} data={data} />
      ) : chart.type === 'number' ? (
        <Single chart={chart} data={data} />
      ) : !plot.isNumeric ? (
        <ChartTable chart={chart} data={data} />
      ) : chart.type === 'pie' ? (
        <PieChart chart={chart} plot={plot} />
      ) : (
        <AxisChart chart={chart} plot={plot} />
      )}
      {notes.map(note => (
        <p key={note} className={styles.note}>
          {note}
        </p>
      ))}
    </>
  );
}

/** The first figure, large. */
function Single({ chart, data }: { readonly chart: Chart; readonly data: ChartData }) {
  const [step] = chart.aggregate.steps;
  const value = data.rows[0]?.[step?.output_field ?? ''] ?? null;
  return (
    <p className={styles.single} title={cellText(value)}>
      {typeof value === 'number' ? valueText(value) : cellText(value)}
    </p>
  );
}
