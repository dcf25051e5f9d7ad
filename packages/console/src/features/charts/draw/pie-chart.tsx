import { useId } from 'react';
import { t } from '../../../i18n/language.js';
import { type Slice, slicePath, slices } from '../geometry/scale.js';
import type { Chart } from '../model/chart.js';
import { type Plot, pieOf } from '../model/series.js';
import styles from './figure.module.css';
import { Points } from './reading.js';
import { fillOf, Patterns, Swatch, seriesClass } from './swatch.js';
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

const PIE_SIZE = 200;

/** The slices of a pie. Names, values and shares are in the legend beside it. */
function Pie({
  slices,
  active,
  id,
  onActive,
}: {
  readonly slices: readonly Slice[];
  readonly active: number | undefined;
  readonly id: string;
  readonly onActive: (index: number | undefined) => void;
}) {
  return (
    <g transform={`translate(${PIE_SIZE / 2},${PIE_SIZE / 2})`} onPointerLeave={() => onActive(undefined)}>
      {slices.map(slice => (
        <g key={slice.index} className={seriesClass(slice.index)}>
          <path
            d={slicePath(slice, PIE_SIZE / 2 - 4)}
            fill={fillOf(slice.index, id)}
            className={active === undefined || active === slice.index ? styles.slice : styles.dimmedSlice}
            onPointerEnter={() => onActive(slice.index)}
          />
        </g>
      ))}
    </g>
  );
}
