import { t } from '../../i18n/language.js';
import styles from './charts.module.css';
import type { StoredCharts } from './model/changed-charts.js';

/** Charts that other programs stored in their own shape. They are kept as they are. */
export function ForeignCharts({ charts }: { readonly charts: StoredCharts }) {
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
