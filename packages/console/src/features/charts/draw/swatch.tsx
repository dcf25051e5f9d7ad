import styles from './figure.module.css';

/** Marks of points, so that lines are told apart without their colours. */
const MARKS = [
  'M-3.5,0a3.5,3.5 0 1 0 7,0a3.5,3.5 0 1 0 -7,0Z',
  'M-3,-3H3V3H-3Z',
  'M0,-4L4,3H-4Z',
  'M0,-4.4L4.4,0L0,4.4L-4.4,0Z',
  'M0,4L4,-3H-4Z',
  'M-4,-1.4H-1.4V-4H1.4V-1.4H4V1.4H1.4V4H-1.4V1.4H-4Z',
  'M-4,0L0,-2L4,0L0,2Z',
  'M-2,-4L0,0L2,-4V4L0,0L-2,4Z',
] as const;
const DASHES = [undefined, '7 3', '2 3', '9 3 2 3', '12 4', '4 4', '1 4', '9 3 2 3 2 3'] as const;
/** Lines on the colour of a surface, so that surfaces are told apart without their colours. The first has none. */
const PATTERNS = [
  '',
  'M0,8L8,0M-2,2L2,-2M6,10L10,6',
  'M0,4H8',
  'M0,0L8,8M-2,6L2,10M6,-2L10,2',
  'M4,0V8',
  'M4,0V8M0,4H8',
  'M0,0L8,8M0,8L8,0',
  'M2,2h1v1h-1ZM6,6h1v1h-1Z',
] as const;

/** The class that sets the colour of a series as `color`. */
export function seriesClass(series: number): string {
  return styles[`series${series}`] as string;
}

export function dashOf(series: number): string | undefined {
  return DASHES[series];
}

export function Mark({ series, x, y }: { readonly series: number; readonly x: number; readonly y: number }) {
  return <path d={MARKS[series]} transform={`translate(${x},${y})`} className={styles.mark} />;
}

/** The fill of a surface: the colour alone, or the pattern that `Patterns` defines. */
export function fillOf(series: number, id: string): string {
  return series === 0 ? 'currentColor' : `url(#${id}-${series})`;
}

/** The patterns of so many series. */
export function Patterns({ id, count }: { readonly id: string; readonly count: number }) {
  return (
    <defs>
      {PATTERNS.slice(0, count).map((path, series) => (
        <pattern
          key={path}
          id={`${id}-${series}`}
          width={8}
          height={8}
          patternUnits="userSpaceOnUse"
          className={seriesClass(series)}
        >
          <rect width={8} height={8} fill="currentColor" />
          <path d={path} className={styles.hatch} />
        </pattern>
      ))}
    </defs>
  );
}

/** How a series looks, for the legend: a piece of its line, or of its surface. */
export function Swatch({ series, isLine }: { readonly series: number; readonly isLine: boolean }) {
  return (
    <svg aria-hidden="true" width={26} height={14} className={`${styles.swatch} ${seriesClass(series)}`}>
      {isLine ? (
        <>
          <path d="M0,7H26" className={styles.line} strokeDasharray={dashOf(series)} />
          <Mark series={series} x={13} y={7} />
        </>
      ) : (
        <>
          <rect width={26} height={14} rx={2} fill="currentColor" />
          <path d={PATTERNS[series]} className={styles.hatch} transform="translate(3,3)" />
          <path d={PATTERNS[series]} className={styles.hatch} transform="translate(11,3)" />
        </>
      )}
    </svg>
  );
}
