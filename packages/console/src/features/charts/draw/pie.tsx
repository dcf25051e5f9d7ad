import { type Slice, slicePath } from '../geometry/scale.js';
import styles from './figure.module.css';
import { fillOf, seriesClass } from './swatch.js';

export const PIE_SIZE = 200;

/** The slices of a pie. Names, values and shares are in the legend beside it. */
export function Pie({
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
