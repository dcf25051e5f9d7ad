import { type Frame, middleOf } from '../geometry/frame.js';
import { areaPath, linePath } from '../geometry/scale.js';
import type { Plot } from '../model/series.js';
import styles from './figure.module.css';
import { dashOf, fillOf, Mark, seriesClass } from './swatch.js';

/** More points than this have no marks, except where the pointer is. */
const MAX_MARKED = 60;

/** Lines, and for areas what is below them. Places without a value are gaps. */
export function Lines({
  plot,
  frame,
  isArea,
  active,
  id,
}: {
  readonly plot: Plot;
  readonly frame: Frame;
  readonly isArea: boolean;
  readonly active: number | undefined;
  readonly id: string;
}) {
  const isMarked = plot.categories.length <= MAX_MARKED;
  return plot.series.map(({ name, values }, series) => {
    const spans = frame.spans[series] ?? [];
    const at = (index: number, side: 0 | 1) =>
      [middleOf(index, frame), frame.scale(spans[index]?.[side] ?? 0)] as const;
    const upper = values.map((value, index) => (value === null ? null : at(index, 1)));
    const present = values.flatMap((value, index) => (value === null ? [] : [index]));
    return (
      <g key={name} className={seriesClass(series)}>
        {isArea && (
          <path
            d={areaPath(
              present.map(index => at(index, 1)),
              present.map(index => at(index, 0)),
            )}
            fill={fillOf(series, id)}
            className={styles.area}
          />
        )}
        <path
          d={linePath(upper)}
          className={styles.line}
          strokeDasharray={isArea ? undefined : dashOf(series)}
        />
        {upper.map(
          (point, index) =>
            point !== null &&
            (isMarked || index === active || isAlone(upper, index)) && (
              // biome-ignore lint/suspicious/noArrayIndexKey: the place on the axis identifies the point
              <Mark key={index} series={series} x={point[0]} y={point[1]} />
            ),
        )}
      </g>
    );
  });
}

/** A point between two gaps has no line. */
function isAlone(points: readonly unknown[], index: number): boolean {
  return (points[index - 1] ?? null) === null && (points[index + 1] ?? null) === null;
}
