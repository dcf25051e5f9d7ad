// @ts-check
import { digits, machineLine, median, table, verdict } from '../results.mjs';

/**
 * @typedef {import('./measure.mjs').Measurement} Measurement
 * @typedef {import('./measure.mjs').Sample} Sample
 * @typedef {{ middle: number, least: number, greatest: number }} Spread
 */

const RATES = ['Workload', 'req/s', 'other', 'ratio', 'rounds', 'goal', ''];
const CPU = ['CPU µs', 'other', 'ratio', 'goal', ''];
const TIMES = ['p50 ms', 'other', 'p99 ms', 'other', 'p99/p50 ratio', 'goal', ''];

/**
 * The median of the rounds' ratios, and the least and the greatest of them.
 * @param {Measurement} measurement
 * @param {(sample: Sample) => number} value
 * @returns {Spread}
 */
function ratios({ ours, theirs }, value) {
  const each = ours.map((sample, round) => value(sample) / value(/** @type {Sample} */ (theirs[round])));
  return { middle: median(each), least: Math.min(...each), greatest: Math.max(...each) };
}

/** @param {Measurement} measurement */
function compared(measurement) {
  return {
    rate: ratios(measurement, sample => sample.perSecond),
    cpu: ratios(measurement, sample => sample.cpuMicros),
    tail: ratios(measurement, sample => sample.p99 / sample.p50),
  };
}

/**
 * One line about a workload, for the terminal.
 * @param {Measurement} measurement
 */
export function summary(measurement) {
  const { rate, cpu } = compared(measurement);
  const { title, goal } = measurement.workload;
  const reached = verdict(rate.middle >= goal.rate);
  return `${title}: ratio ${spread(rate)} (goal ${goal.rate}: ${reached}), CPU ratio ${spread(cpu)}`;
}

/**
 * @param {Measurement} measurement
 * @returns {string[]} medians over the rounds
 */
function line(measurement) {
  const { workload, ours, theirs } = measurement;
  const { rate, cpu, tail } = compared(measurement);
  const { goal } = workload;
  const middle = (/** @type {Sample[]} */ samples, /** @type {keyof Sample} */ key) =>
    median(samples.map(each => each[key]));
  return [
    workload.title,
    digits(middle(ours, 'perSecond')),
    digits(middle(theirs, 'perSecond')),
    rate.middle.toFixed(2),
    `${rate.least.toFixed(2)}–${rate.greatest.toFixed(2)}`,
    `≥ ${goal.rate.toFixed(2)}`,
    verdict(rate.middle >= goal.rate),
    digits(middle(ours, 'cpuMicros')),
    digits(middle(theirs, 'cpuMicros')),
    cpu.middle.toFixed(2),
    ...atMost(goal.cpu, cpu),
    middle(ours, 'p50').toFixed(1),
    middle(theirs, 'p50').toFixed(1),
    middle(ours, 'p99').toFixed(1),
    middle(theirs, 'p99').toFixed(1),
    tail.middle.toFixed(2),
    ...atMost(goal.tail, tail),
  ];
}

/**
 * @param {number | undefined} goal
 * @param {Spread} found
 */
function atMost(goal, found) {
  return goal === undefined ? ['', ''] : [`≤ ${goal.toFixed(2)}`, verdict(found.middle <= goal)];
}

/** @param {Spread} found */
function spread({ middle, least, greatest }) {
  return `${middle.toFixed(2)} (${least.toFixed(2)}–${greatest.toFixed(2)})`;
}

/**
 * The section of results.md, in Markdown.
 * @param {{ measurements: Measurement[], trips: number | undefined, postgres: string,
 *   options: import('./options.mjs').Options }} run
 */
export function section({ measurements, trips, postgres, options }) {
  const heading = [...RATES, ...CPU, ...TIMES];
  const withBare = measurements.filter(({ workload }) => workload.against === undefined);
  const withOthers = measurements.filter(({ workload }) => workload.against !== undefined);
  const named = withOthers.map(each => {
    const [title, ...cells] = line(each);
    return [`${title}, to: ${each.workload.against?.title}`, ...cells];
  });
  return [
    `${digits(options.rows)} orders, ${options.connections} connections, medians of ${options.rounds} interleaved rounds of`,
    `${options.seconds} s, called with ${CREDENTIAL[options.credential]}. CPU is that of the server process per request. "rounds" is the least`,
    'and the greatest ratio of a round.',
    '',
    'The service to a bare `node:http` and `pg` server on the same PostgreSQL:',
    '',
    table([heading, ...withBare.map(line)]),
    '',
    'A request of the service to another one:',
    '',
    table([heading, ...named]),
    '',
    ...tripLines(trips),
    ...generatorLines(measurements),
    machineLine(postgres),
  ].join('\n');
}

const CREDENTIAL = { token: 'an access token', key: 'an organization API key', jwt: 'a session JWT' };

/** @param {number | undefined} trips */
function tripLines(trips) {
  if (trips === undefined) return [];
  return [
    `- Database round trips per warm authenticated point read: ${trips.toFixed(2)}, goal 1: ${verdict(trips < 1.05)}.`,
  ];
}

/**
 * States whether the load generator could have been the bottleneck.
 * @param {Measurement[]} measurements
 */
function generatorLines(measurements) {
  const dearest = measurements.filter(({ ours, theirs }) =>
    [ours, theirs].some(
      samples =>
        median(samples.map(each => each.generatorMicros)) >= median(samples.map(each => each.cpuMicros)),
    ),
  );
  const shares = measurements.map(
    ({ workload, ours }) => `${workload.name} ${digits(median(ours.map(each => each.generatorMicros)))}`,
  );
  const comparison =
    dearest.length === 0
      ? 'less than that of either server'
      : `NOT less than that of a server in ${dearest.map(({ workload }) => workload.name).join(', ')}`;
  return [`- The load generator's own CPU per request (µs): ${shares.join(', ')}; ${comparison}.`];
}
