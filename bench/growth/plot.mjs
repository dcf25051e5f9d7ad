// @ts-check
// Draws the plots of docs/performance.md.
import { init } from 'echarts';

/**
 * The measurements at one size, such as 10,000 records: requests per second and latencies in milliseconds of each kind of request.
 * @typedef {{ perSecond: number, p50: number, p99: number }} Rate
 * @typedef {{ size: number, rates: Record<string, Rate | undefined> }} Point requests without a rate were refused
 */

const WIDTH = 900;
const HEIGHT = 360;
/** Distinguishable for people with colour blindness, on white. */
const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7'];
const FONT = { fontFamily: 'sans-serif', fontSize: 12, color: '#333' };

/**
 * An SVG with two plots side by side: requests a second, and the 99th percentile of their latency. All axes are
 * logarithmic and show the exact sizes that were measured.
 * @param {string} axis what grows
 * @param {readonly Point[]} points
 */
export function growthSvg(axis, points) {
  const kinds = Object.keys(points[0]?.rates ?? {});
  const chart = init(null, null, { renderer: 'svg', ssr: true, width: WIDTH, height: HEIGHT });
  const sides = [
    { title: 'Requests per second', value: (/** @type {Rate} */ rate) => rate.perSecond },
    { title: 'p99 in milliseconds', value: (/** @type {Rate} */ rate) => rate.p99 },
  ];
  chart.setOption({
    animation: false,
    backgroundColor: '#fff',
    color: COLOURS,
    textStyle: FONT,
    legend: { bottom: 0, itemGap: 40, data: kinds, textStyle: FONT },
    title: sides.map(({ title }, side) => ({
      text: title,
      left: side === 0 ? '3%' : '53%',
      textStyle: { ...FONT, fontSize: 14 },
    })),
    grid: [
      { left: 60, width: 360, top: 40, bottom: 80 },
      { left: 510, width: 360, top: 40, bottom: 80 },
    ],
    xAxis: sides.map((_, gridIndex) => ({
      type: 'category',
      gridIndex,
      name: axis,
      nameLocation: 'middle',
      nameGap: 28,
      data: points.map(({ size }) => size.toLocaleString('en-US')),
    })),
    yAxis: sides.map((_, gridIndex) => ({
      type: 'log',
      gridIndex,
      minorSplitLine: { show: true },
      axisLabel: { formatter: (/** @type {number} */ value) => value.toLocaleString('en-US') },
    })),
    series: sides.flatMap(({ value }, side) =>
      kinds.map((kind, at) => ({
        name: kind,
        type: 'line',
        xAxisIndex: side,
        yAxisIndex: side,
        color: COLOURS[at],
        symbolSize: 7,
        data: points.map(({ rates }) => {
          const rate = rates[kind];
          return rate === undefined ? null : value(rate);
        }),
      })),
    ),
  });
  const svg = chart.renderToSVGString();
  chart.dispose();
  return `${svg}\n`;
}
