// @ts-check
import { cpus, totalmem } from 'node:os';
import process from 'node:process';

/**
 * @typedef {import('./measure.mjs').Measurement} Measurement
 * @typedef {import('./measure.mjs').Sample} Sample
 */

const HEADER = [
  'Workload',
  'service req/s',
  'bare req/s',
  'ratio',
  'goal',
  '',
  'CPU µs',
  'bare',
  'ratio',
  'p50 ms',
  'bare',
  'p99 ms',
  'bare',
];

/**
 * @param {Measurement} measurement
 * @returns {string[]} medians over the rounds; a ratio is the median of the rounds' ratios
 */
export function row({ workload, service, bare }) {
  const ratio = median(service.map((sample, round) => sample.perSecond / at(bare, round).perSecond));
  const cpuRatio = median(service.map((sample, round) => sample.cpuMicros / at(bare, round).cpuMicros));
  const of = (/** @type {Sample[]} */ samples, /** @type {keyof Sample} */ key) =>
    median(samples.map(each => each[key]));
  return [
    workload.title,
    digits(of(service, 'perSecond')),
    digits(of(bare, 'perSecond')),
    ratio.toFixed(2),
    `≥ ${workload.goal.toFixed(2)}`,
    ratio >= workload.goal ? 'pass' : 'FAIL',
    digits(of(service, 'cpuMicros')),
    digits(of(bare, 'cpuMicros')),
    cpuRatio.toFixed(2),
    of(service, 'p50').toFixed(1),
    of(bare, 'p50').toFixed(1),
    of(service, 'p99').toFixed(1),
    of(bare, 'p99').toFixed(1),
  ];
}

/**
 * The results as Markdown, for the terminal and for results.md.
 * @param {{ measurements: Measurement[], trips: number | undefined, postgres: string,
 *   options: import('./options.mjs').Options }} run
 */
export function resultsPage({ measurements, trips, postgres, options }) {
  const cells = [HEADER, ...measurements.map(row)];
  const widths = HEADER.map((_, column) => Math.max(3, ...cells.map(line => line[column]?.length ?? 0)));
  const lines = cells.map(line => `| ${line.map((cell, i) => pad(cell, widths[i] ?? 0, i)).join(' | ')} |`);
  const rules = widths.map((width, i) => (i === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  return [
    '# Benchmark',
    '',
    `The service against a bare \`node:http\` + \`pg\` server on one PostgreSQL; \`npm run bench\` writes this page.`,
    `${digits(options.rows)} orders, ${options.connections} connections, medians of ${options.rounds} interleaved rounds of`,
    `${options.seconds} s, called with ${CREDENTIAL[options.credential]}. CPU is that of the server process per request.`,
    '',
    lines[0],
    `| ${rules.join(' | ')} |`,
    ...lines.slice(1),
    '',
    ...tripLines(trips),
    ...generatorLines(measurements),
    `- Machine: ${cpus().length} × ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}, PostgreSQL ${postgres}. Servers, database and load generator share it.`,
    '',
  ].join('\n');
}

const CREDENTIAL = { token: 'an access token', key: 'an organization API key', jwt: 'a session JWT' };

/** @param {number | undefined} trips */
function tripLines(trips) {
  if (trips === undefined) return [];
  const verdict = trips < 1.05 ? 'pass' : 'FAIL';
  return [
    `- Database round trips per warm authenticated point read: ${trips.toFixed(2)}, goal 1: ${verdict}.`,
  ];
}

/**
 * States whether the load generator could have been the bottleneck.
 * @param {Measurement[]} measurements
 */
function generatorLines(measurements) {
  const dearest = measurements.filter(({ service, bare }) =>
    [service, bare].some(
      samples =>
        median(samples.map(each => each.generatorMicros)) >= median(samples.map(each => each.cpuMicros)),
    ),
  );
  const shares = measurements.map(
    ({ workload, bare }) => `${workload.name} ${digits(median(bare.map(each => each.generatorMicros)))}`,
  );
  const verdict =
    dearest.length === 0
      ? 'less than that of either server'
      : `NOT less than that of a server in ${dearest.map(({ workload }) => workload.name).join(', ')}`;
  return [
    `- The load generator's own CPU per request (µs, against the bare server): ${shares.join(', ')}; ${verdict}.`,
  ];
}

/**
 * @param {string} cell
 * @param {number} width
 * @param {number} column
 */
function pad(cell, width, column) {
  return column === 0 ? cell.padEnd(width) : cell.padStart(width);
}

/** @param {number} value */
function digits(value) {
  return value.toLocaleString('en-US', { maximumFractionDigits: value < 100 ? 1 : 0 });
}

/** @param {number[]} values */
function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? at(sorted, middle) : (at(sorted, middle - 1) + at(sorted, middle)) / 2;
}

/**
 * @template T
 * @param {T[]} values
 * @param {number} index
 * @returns {T}
 */
function at(values, index) {
  return /** @type {T} */ (values[index]);
}
