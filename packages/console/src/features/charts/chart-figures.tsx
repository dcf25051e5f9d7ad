import { useQuery } from '@tanstack/react-query';
import { chartsRoute } from '../../api/routes.js';
import { language, t } from '../../i18n/language.js';
import { ErrorBox, Loading } from '../../ui/states.js';
import { chartDataQuery } from './charts-data.js';
import { AxisChart } from './draw/axis-chart.js';
import styles from './draw/figure.module.css';
import { PieChart } from './draw/pie-chart.js';
import { valueText, words } from './draw/texts.js';
import { MAX_ROWS, standsUp } from './geometry/frame.js';
import { type Chart, groupsOf } from './model/chart.js';
import { type ChartData, MAX_GROUPS_READ } from './model/read-chart.js';
import { nameOf, plotOf } from './model/series.js';

interface ChartFiguresProps {
  readonly collection: string;
  readonly chart: Chart;
  readonly asTable: boolean;
  /** False: nothing is requested yet. */
  readonly isSeen?: boolean;
  /** Milliseconds after which the figures are read again; false for never. */
  readonly every?: number | false;
}

/** Reads the figures of a chart and draws them. A refused chart shows why, in its own place. */
export function ChartFigures({
  collection,
  chart,
  asTable,
  isSeen = true,
  every = false,
}: ChartFiguresProps) {
  const { as_of: asOf } = chartsRoute.useSearch();
  const { data, error, refetch } = useQuery({
    ...chartDataQuery(collection, chart, asOf),
    enabled: isSeen,
    refetchInterval: every,
  });
  if (error !== null) return <ErrorBox error={error} onRetry={() => void refetch()} />;
  return data === undefined ? (
    <Loading lines={5} />
  ) : (
    <ChartDrawing chart={chart} data={data} asTable={asTable} />
  );
}

/** A chart with its data, as it is defined or as a table, and what it leaves out. */
function ChartDrawing({
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

/** Rows at most, so that a chart with thousands of groups does not freeze the page. */
const MAX_ROWS_SHOWN = 1_000;

/** The results of a chart as a table: all figures of all groups, not rounded. */
function ChartTable({ chart, data }: { readonly chart: Chart; readonly data: ChartData }) {
  const groups = groupsOf(chart);
  const outputs = chart.aggregate.steps.map(step => step.output_field);
  const [axis] = groups;
  const texts = words();
  const name = (group: string, value: unknown) =>
    group === axis && data.unit !== undefined
      ? nameOf(Date.parse(String(value)), data.unit, texts)
      : nameOf(value, undefined, texts);
  return (
    <section
      className={styles.tableFrame}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard can scroll only what has the focus
      tabIndex={0}
      aria-label={t('charts.tableOf', { title: chart.title })}
    >
      <table className={styles.table}>
        <thead>
          <tr>
            {groups.map(group => (
              <th key={group} scope="col">
                {group}
              </th>
            ))}
            {outputs.map(output => (
              <th key={output} scope="col" className={styles.number}>
                {output}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {data.rows.slice(0, MAX_ROWS_SHOWN).map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows are replaced together
            <tr key={index}>
              {groups.map((group, column) =>
                column === 0 ? (
                  <th key={group} scope="row">
                    {name(group, row[group])}
                  </th>
                ) : (
                  <td key={group}>{name(group, row[group])}</td>
                ),
              )}
              {outputs.map(output => (
                <td key={output} className={styles.number}>
                  {cellText(row[output])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** A figure as it is: the extremes of dates are texts. */
function cellText(value: unknown): string {
  if (value === null || value === undefined) return '–';
  if (typeof value !== 'number') return typeof value === 'string' ? value : JSON.stringify(value);
  return new Intl.NumberFormat(language(), { maximumFractionDigits: 10 }).format(value);
}
