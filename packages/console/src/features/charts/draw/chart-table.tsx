import { language, t } from '../../../i18n/language.js';
import { type Chart, groupsOf } from '../model/chart.js';
import type { ChartData } from '../model/read-chart.js';
import { nameOf } from '../model/series.js';
import styles from './figure.module.css';
import { words } from './texts.js';

/** Rows at most, so that a chart with thousands of groups does not freeze the page. */
const MAX_ROWS_SHOWN = 1_000;

/** The results of a chart as a table: all figures of all groups, not rounded. */
export function ChartTable({ chart, data }: { readonly chart: Chart; readonly data: ChartData }) {
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
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return '–';
  if (typeof value !== 'number') return typeof value === 'string' ? value : JSON.stringify(value);
  return new Intl.NumberFormat(language(), { maximumFractionDigits: 10 }).format(value);
}
