import { type PointerEvent, type RefObject, useId, useLayoutEffect, useRef, useState } from 'react';
import { barsOf, type Frame, frameOf, groupAt, middleOf } from '../geometry/frame.js';
import { areaPath, labelled, linePath } from '../geometry/scale.js';
import type { Chart } from '../model/chart.js';
import { isAdditive, type Plot } from '../model/series.js';
import styles from './figure.module.css';
import { Legend, Points, Tooltip } from './reading.js';
import { dashOf, fillOf, Mark, Patterns, seriesClass } from './swatch.js';
import { summaryOf, tickText, valueText } from './texts.js';
import { useActive } from './use-active.js';

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
              <Bars
                plot={plot}
                frame={frame}
                isStacked={isStacked}
                active={active}
                id={id}
                valueText={valueText}
              />
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

/** Grid lines with their values, and the names of the groups. */
function Axes({
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

/** Bars of one or several series. A bar of a single series that lies has its value beside it. */
function Bars({
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

/** More points than this have no marks, except where the pointer is. */
const MAX_MARKED = 60;

/** Lines, and for areas what is below them. Places without a value are gaps. */
function Lines({
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

/** The width of an element in pixels, and again whenever it changes. 0 until it is measured. */
function useWidth<E extends HTMLElement>(): [RefObject<E | null>, number] {
  const element = useRef<E>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    if (element.current === null) return;
    const observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined) setWidth(Math.floor(entry.contentRect.width));
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return [element, width];
}
