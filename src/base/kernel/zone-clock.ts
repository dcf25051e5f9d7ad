import { BoundedMap } from './bounds/bounded-map.js';
import { DAY_MS } from './clock.js';
import { utcInstant } from './instant.js';

/** Offsets change at a quarter of an hour. */
const QUARTER_MS = 15 * 60_000;
const MAX_OFFSETS = 10_000;
/** Before it, clocks showed the local mean time, and Intl has dates of another calendar. */
const STANDARD_TIME = Date.UTC(1800, 0);

/** The clock of a time zone that `timeZone` knows: converts its local times to instants. */
export class ZoneClock {
  private readonly format: Intl.DateTimeFormat;
  private readonly offsets = new BoundedMap<number, number>(MAX_OFFSETS);

  constructor(zone: string) {
    this.format = new Intl.DateTimeFormat('en-u-ca-iso8601', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  }

  /**
   * The instant of a local time such as `2026-03-29T02:30:00.000`, as text; undefined for one outside of the years
   * 0001–9999. The first one if clocks show the time twice; as if clocks had not been changed yet if they never show it
   * (`compatible` in ECMAScript's Temporal).
   */
  instantOf(local: string): string | undefined {
    const shown = Date.parse(`${local}Z`);
    const [before, after] = [this.offsetAt(shown - DAY_MS), this.offsetAt(shown + DAY_MS)];
    const first = shown - before;
    const isAfter =
      before !== after && this.offsetAt(first) !== before && this.offsetAt(shown - after) === after;
    const instant = new Date(isAfter ? shown - after : first);
    return utcInstant(instant.toISOString());
  }

  /** Milliseconds by which clocks are ahead of UTC. */
  private offsetAt(instant: number): number {
    const quarter = Math.floor(Math.max(instant, STANDARD_TIME) / QUARTER_MS);
    const known = this.offsets.get(quarter);
    if (known !== undefined) return known;
    const at = quarter * QUARTER_MS;
    const parts = Object.fromEntries(
      this.format.formatToParts(at).map(({ type, value }) => [type, Number(value)]),
    ) as Record<'year' | 'month' | 'day' | 'hour' | 'minute' | 'second', number>;
    const { year, month, day, hour, minute, second } = parts;
    const offset = Date.UTC(year, month - 1, day, hour, minute, second) - at;
    this.offsets.set(quarter, offset);
    return offset;
  }
}
