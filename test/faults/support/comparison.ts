import { setTimeout as pause } from 'node:timers/promises';
import type { Figures, Neighbour } from './neighbour.js';
import { noteRatio } from './report.js';

/** With two rounds the rule must hold for the worse of them, see `middle`. */
const LEAST_ROUNDS = 2;
/** Other work on the machine can distort some rounds, so more are run while the rule does not hold. */
const MOST_ROUNDS = 4;

/** What happens in the phases of a round. Each promise ends its phase. */
interface Phases {
  /** Prepares the next `faulty`. The requests that are sent meanwhile do not count. */
  readonly prepare?: () => Promise<unknown>;
  /** As `faulty`, without the fault. */
  readonly quiet: () => Promise<unknown>;
  readonly faulty: () => Promise<unknown>;
  /** The time right after the fault. */
  readonly after?: () => Promise<unknown>;
}

/** The phase compared with the quiet ones. */
type Compared = 'faulty' | 'after';

/** What a neighbour notices of a fault: the phases of several rounds, each between two quiet ones. */
export class Comparison {
  readonly quiet: Figures[] = [];
  readonly faulty: Figures[] = [];
  readonly after: Figures[] = [];

  /**
   * Runs rounds until the rule holds, at least 2 and at most 4, or one round without a rule. The caller asserts the
   * rule.
   */
  static async of(
    neighbour: Neighbour,
    phases: Phases,
    rule?: (comparison: Comparison) => boolean,
  ): Promise<Comparison> {
    const made = new Comparison();
    made.quiet.push(await neighbour.during(phases.quiet));
    const isEnough = (rounds: number) =>
      rule === undefined ? rounds > 0 : rounds === MOST_ROUNDS || (rounds >= LEAST_ROUNDS && rule(made));
    while (!isEnough(made.faulty.length)) {
      await phases.prepare?.();
      made.faulty.push(await neighbour.during(phases.faulty));
      if (phases.after !== undefined) made.after.push(await neighbour.during(phases.after));
      made.quiet.push(await neighbour.during(phases.quiet));
    }
    return made;
  }

  /**
   * How many times longer requests took than in quiet phases: the median of all rounds. Each round is compared with
   * the quiet phases before and after it, because other work on the machine comes and goes.
   */
  ratio(figure: 'median' | 'p95', compared: Compared = 'faulty'): number {
    const ratios = this[compared].map((figures, round) => {
      const [before, after] = [this.quiet[round] as Figures, this.quiet[round + 1] as Figures];
      return (2 * figures[figure]) / (before[figure] + after[figure]);
    });
    return middle(ratios);
  }

  /** Milliseconds of the slowest request. */
  slowest(of: 'quiet' | Compared): number {
    return Math.max(...this[of].map(({ slowest }) => slowest));
  }

  /** Adds a row to the report. */
  async note(fault: string): Promise<void> {
    const of = (phase: 'quiet' | Compared, figure: 'median' | 'p95') =>
      middle(this[phase].map(each => each[figure]));
    await noteRatio({
      fault,
      requests: this.faulty.reduce((total, { requests }) => total + requests, 0),
      failed: this.faulty.flatMap(({ failed }) => failed).length,
      quietMedian: of('quiet', 'median'),
      median: of('faulty', 'median'),
      quietP95: of('quiet', 'p95'),
      p95: of('faulty', 'p95'),
      ratioOfMedians: this.ratio('median'),
      ratioOfP95: this.ratio('p95'),
      slowest: this.slowest('faulty'),
    });
  }

  /** For the message of a failed assertion. */
  toString(): string {
    const lines = (['quiet', 'faulty', 'after'] as const).flatMap(phase =>
      this[phase].map(
        ({ requests, median, p95, slowest, failed }) =>
          `${phase}: ${requests} requests, ${failed.length} failed, median ${median.toFixed(1)}, p95 ${p95.toFixed(1)}, slowest ${slowest.toFixed(0)} ms`,
      ),
    );
    return lines.join('\n');
  }
}

/** A phase in which nothing else happens. */
export const nothing = (ms: number) => () => pause(ms);

/** The median; of an even number of figures the greater one in the middle. */
function middle(figures: readonly number[]): number {
  return figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)] ?? Number.NaN;
}
