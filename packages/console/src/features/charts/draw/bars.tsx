import { barsOf, type Frame } from '../geometry/frame.js';
import type { Plot } from '../model/series.js';
import styles from './figure.module.css';
import { fillOf, seriesClass } from './swatch.js';

/** Bars of one or several series. A bar of a single series that lies has its value beside it. */
export function Bars({
  plot,
  frame,
  isStacked,
  active,
  id,
  valueText,
}: {
  readonly plot: Plot;
  readonly frame: Frame;
  readonly isStacked: boolean;
  readonly active: number | undefined;
  readonly id: string;
  readonly valueText: (value: number) => string;
}) {
  const isDirect = !frame.isUpright && plot.series.length === 1;
  return barsOf(plot, frame, isStacked).map(({ series, index, ...rectangle }) => (
    <g key={`${series} ${index}`} className={seriesClass(series)}>
      <rect
        {...rectangle}
        fill={fillOf(series, id)}
        rx={rectangle.width > 6 && rectangle.height > 6 ? 2 : 0}
        className={active === undefined || active === index ? styles.bar : styles.dimmed}
      />
      {isDirect && (
        <text
          x={rectangle.x + rectangle.width + 6}
          y={rectangle.y + rectangle.height / 2 + 4}
          className={styles.value}
        >
          {valueText(plot.series[0]?.values[index] ?? 0)}
        </text>
      )}
    </g>
  ));
}
