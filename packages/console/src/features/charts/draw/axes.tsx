import { type Frame, middleOf } from '../geometry/frame.js';
import { labelled } from '../geometry/scale.js';
import type { Plot } from '../model/series.js';
import styles from './figure.module.css';

/** Grid lines with their values, and the names of the groups. */
export function Axes({
  plot,
  frame,
  tickText,
}: {
  readonly plot: Plot;
  readonly frame: Frame;
  readonly tickText: (value: number) => string;
}) {
  const { isUpright, width, height, groups, values, nameLength } = frame;
  const step = (groups[1] - groups[0]) / Math.max(1, frame.count);
  const names = plot.categories.slice(0, frame.count).map(({ name }) => cut(name, nameLength));
  const labelSize = isUpright ? Math.max(0, ...names.map(name => name.length)) * 6.8 + 10 : 0;
  return (
    <g className={styles.axes}>
      {frame.ticks.map(tick => {
        const at = frame.scale(tick);
        return isUpright ? (
          <g key={tick}>
            <path d={`M${groups[0]},${at}H${groups[1]}`} className={tick === 0 ? styles.zero : styles.grid} />
            <text x={groups[0] - 6} y={at + 4} textAnchor="end">
              {tickText(tick)}
            </text>
          </g>
        ) : (
          <g key={tick}>
            <path d={`M${at},${groups[0]}V${groups[1]}`} className={tick === 0 ? styles.zero : styles.grid} />
            <text x={at} y={height - 4} textAnchor="middle">
              {tickText(tick)}
            </text>
          </g>
        );
      })}
      {labelled(names.length, step, labelSize).map(index => {
        const at = middleOf(index, frame);
        return isUpright ? (
          <text key={index} x={inside(at, labelSize, width)} y={height - 4} textAnchor="middle">
            {names[index]}
          </text>
        ) : (
          <text key={index} x={values[0] - 8} y={at + 4} textAnchor="end" className={styles.name}>
            {names[index]}
          </text>
        );
      })}
    </g>
  );
}

function cut(name: string, length: number): string {
  return name.length > length ? `${name.slice(0, Math.max(1, length - 1))}…` : name;
}

/** Labels at the sides stay inside the drawing. */
function inside(at: number, size: number, width: number): number {
  return Math.max(size / 2 - 4, Math.min(at, width - size / 2 + 4));
}
