import { t } from '../../../i18n/language.js';
import type { Plot } from '../model/series.js';
import styles from './figure.module.css';
import { Swatch } from './swatch.js';
import { groupText, valueText } from './texts.js';

/** The names of the series beside how they look. */
export function Legend({ plot, isLine }: { readonly plot: Plot; readonly isLine: boolean }) {
  return (
    <ul className={styles.legend}>
      {plot.series.map(({ name }, series) => (
        <li key={name}>
          <Swatch series={series} isLine={isLine} />
          {name}
        </li>
      ))}
    </ul>
  );
}

const TOOLTIP_WIDTH = 200;

/** The values of one group, beside it. Screen readers get the same text from `Points`. */
export function Tooltip({
  plot,
  index,
  isLine,
  left,
  top,
  width,
}: {
  readonly plot: Plot;
  readonly index: number;
  readonly isLine: boolean;
  readonly left: number;
  readonly top: number;
  readonly width: number;
}) {
  const at = left + 14 + TOOLTIP_WIDTH > width ? Math.max(0, left - 14 - TOOLTIP_WIDTH) : left + 14;
  return (
    <div aria-hidden className={styles.tooltip} style={{ left: at, top, maxWidth: TOOLTIP_WIDTH }}>
      <strong>{plot.categories[index]?.name}</strong>
      <ul>
        {plot.series.map(({ name, values }, series) => (
          <li key={name}>
            <Swatch series={series} isLine={isLine} />
            {plot.series.length > 1 && <span className={styles.seriesName}>{name}</span>}
            <span className={styles.number}>{valueText(values[index] ?? null)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** A slider over the groups: arrow keys show each group's values, and screen readers say them. */
export function Points({
  plot,
  count,
  title,
  active,
  onActive,
}: {
  readonly plot: Plot;
  readonly count: number;
  readonly title: string;
  readonly active: number | undefined;
  readonly onActive: (index: number | undefined) => void;
}) {
  return (
    <input
      type="range"
      className={styles.points}
      aria-label={t('charts.points', { title })}
      aria-valuetext={groupText(plot, active ?? 0)}
      min={0}
      max={Math.max(0, count - 1)}
      value={active ?? 0}
      onFocus={() => onActive(active ?? 0)}
      onBlur={() => onActive(undefined)}
      onChange={({ currentTarget }) => onActive(currentTarget.valueAsNumber)}
    />
  );
}
