import { useId } from 'react';
import { t } from '../../../i18n/language.js';
import { slices } from '../geometry/scale.js';
import type { Chart } from '../model/chart.js';
import { type Plot, pieOf } from '../model/series.js';
import styles from './figure.module.css';
import { PIE_SIZE, Pie } from './pie.js';
import { Points } from './reading.js';
import { Patterns, Swatch } from './swatch.js';
import { shareText, summaryOf, valueText } from './texts.js';
import { useActive } from './use-active.js';

/** A pie with the name, the value and the share of each slice beside it. */
export function PieChart({ chart, plot }: { readonly chart: Chart; readonly plot: Plot }) {
  const id = useId();
  const pie = pieOf(plot, t('charts.others'));
  const [active, setActive] = useActive(pie.categories.length);
  const values = pie.series[0]?.values ?? [];
  const parts = slices(values);
  if (parts === undefined) return <p className={styles.note}>{t('charts.noShares')}</p>;
  return (
    <div className={styles.figure}>
      <div className={styles.pie}>
        <svg
          role="img"
          aria-label={summaryOf(pie, 'pie', chart.title)}
          width={PIE_SIZE}
          height={PIE_SIZE}
          viewBox={`0 0 ${PIE_SIZE} ${PIE_SIZE}`}
        >
          <Patterns id={id} count={parts.length} />
          <Pie slices={parts} active={active} id={id} onActive={setActive} />
        </svg>
        <ul className={styles.slices}>
          {parts.map(({ index, share }) => (
            <li key={index} className={active === index ? styles.chosen : undefined}>
              <Swatch series={index} isLine={false} />
              <span className={styles.seriesName}>{pie.categories[index]?.name}</span>
              <span className={styles.number}>{valueText(values[index] ?? null)}</span>
              <span className={styles.share}>{shareText(share)}</span>
            </li>
          ))}
        </ul>
      </div>
      <Points plot={pie} count={parts.length} title={chart.title} active={active} onActive={setActive} />
    </div>
  );
}
