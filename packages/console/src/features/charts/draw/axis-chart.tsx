import { type PointerEvent, useId } from 'react';
import { frameOf, groupAt, middleOf } from '../geometry/frame.js';
import type { Chart } from '../model/chart.js';
import { isAdditive, type Plot } from '../model/series.js';
import { Axes } from './axes.js';
import { Bars } from './bars.js';
import styles from './figure.module.css';
import { Lines } from './lines.js';
import { Legend, Points, Tooltip } from './reading.js';
import { Patterns } from './swatch.js';
import { summaryOf, tickText, valueText } from './texts.js';
import { useActive } from './use-active.js';
import { useWidth } from './use-width.js';

/** Bars, lines and areas, with their axes, legend and tooltip. */
export function AxisChart({ chart, plot }: { readonly chart: Chart; readonly plot: Plot }) {
  const id = useId();
  const [element, width] = useWidth<HTMLDivElement>();
  const isLine = chart.type === 'line' || chart.type === 'area';
  const isStacked = chart.type !== 'line' && isAdditive(chart);
  const frame = frameOf(plot, chart.type, Math.max(width, 160), isStacked, tickText);
  const [active, setActive] = useActive(frame.count);
  const follow = ({ currentTarget, clientX, clientY }: PointerEvent) => {
    const box = currentTarget.getBoundingClientRect();
    setActive(groupAt(frame.isUpright ? clientX - box.left : clientY - box.top, frame));
  };
  const place = active === undefined ? 0 : middleOf(active, frame);
  return (
    <div className={styles.figure}>
      <div
        ref={element}
        className={styles.canvas}
        onPointerMove={follow}
        onPointerLeave={() => setActive(undefined)}
      >
        {width > 0 && (
          <svg
            role="img"
            aria-label={summaryOf(plot, chart.type, chart.title)}
            width={frame.width}
            height={frame.height}
          >
            <Patterns id={id} count={plot.series.length} />
            {active !== undefined && frame.isUpright && (
              <path d={`M${place},${frame.values[1]}V${frame.values[0]}`} className={styles.cursor} />
            )}
            <Axes plot={plot} frame={frame} tickText={tickText} />
            {isLine ? (
              <Lines plot={plot} frame={frame} isArea={chart.type === 'area'} active={active} id={id} />
            ) : (
              <Bars {...{ plot, frame, isStacked, active, id, valueText }} />
            )}
          </svg>
        )}
        {active !== undefined && (
          <Tooltip
            plot={plot}
            index={active}
            isLine={isLine}
            left={frame.isUpright ? place : frame.values[0]}
            top={frame.isUpright ? 0 : place + 14}
            width={frame.width}
          />
        )}
      </div>
      <Points plot={plot} count={frame.count} title={chart.title} active={active} onActive={setActive} />
      {plot.series.length > 1 && <Legend plot={plot} isLine={chart.type === 'line'} />}
    </div>
  );
}
