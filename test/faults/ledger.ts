/**
 * What became of a request, as its client saw it. `refused`: 503, and nothing was written; `unknown`: 503, and whether
 * something was is not known; `dropped`: no answer.
 */
export type Outcome = 'acknowledged' | 'refused' | 'unknown' | 'dropped' | 'wrong';

/** One write, told apart from every other by `op`, which goes with it into records, event and changes. */
export interface Write {
  readonly op: string;
  readonly kind: 'insert' | 'bulk' | 'upsert' | 'update';
  /** Marks of the records that it makes or changes: unique, but for upserts and updates of the same record. */
  readonly marks: readonly string[];
  outcome: Outcome;
}

/** What the database holds afterwards. */
export interface Stored {
  readonly records: readonly { readonly mark: string; readonly log: readonly string[] | null }[];
  /** Audit events by the correlation id of their request. */
  readonly events: readonly { readonly op: string; readonly count: number }[];
  /** The change feed. */
  readonly changes: readonly { readonly mark: string; readonly op: string }[];
}

/** Every way in which what is stored is not what was written. All empty when nothing went wrong. */
export interface Differences {
  /** Acknowledged, and not there. */
  readonly lost: string[];
  /** There more than once: a record, its event or its change. */
  readonly duplicated: string[];
  /** There, although the client was told that nothing was written. */
  readonly denied: string[];
  /** There in part: some records of a batch, or records without their event or their change. */
  readonly half: string[];
}

/** Compares what clients were told with what the database holds. */
export function differences(writes: readonly Write[], stored: Stored): Differences {
  const counts = {
    rows: tally(stored.records.map(({ mark }) => mark)),
    updates: tally(stored.records.flatMap(({ mark, log }) => (log ?? []).map(op => `${mark} ${op}`))),
    events: tally(stored.events.map(({ op }) => op)),
    eventRows: new Map(stored.events.map(({ op, count }) => [op, count])),
    changes: tally(stored.changes.map(({ mark, op }) => `${mark} ${op}`)),
  };
  const found: Differences = { lost: [], duplicated: [], denied: [], half: [] };
  for (const write of writes) judge(write, counts, found);
  return found;
}

interface Counts {
  readonly rows: ReadonlyMap<string, number>;
  readonly updates: ReadonlyMap<string, number>;
  readonly events: ReadonlyMap<string, number>;
  readonly eventRows: ReadonlyMap<string, number>;
  readonly changes: ReadonlyMap<string, number>;
}

/** All or nothing: each of its records, its one event and one change a record, as often as the event, once or never. */
function judge({ op, kind, marks, outcome }: Write, counts: Counts, found: Differences): void {
  const events = counts.events.get(op) ?? 0;
  const changes = marks.map(mark => counts.changes.get(`${mark} ${op}`) ?? 0);
  const rows = marks.map(mark =>
    kind === 'update' ? (counts.updates.get(`${mark} ${op}`) ?? 0) : (counts.rows.get(mark) ?? 0),
  );
  // The record of an upsert is there already when an earlier one has made it.
  const whole = kind === 'upsert' && events === 0 ? changes : [...changes, ...rows];
  const told = `${kind} ${op}: ${events} events, changes ${[...new Set(changes)]}, records ${[...new Set(rows)]}`;
  if (Math.max(events, ...changes, ...rows) > 1) found.duplicated.push(told);
  else if (whole.some(count => count !== events)) found.half.push(told);
  else if (events === 1 && counts.eventRows.get(op) !== marks.length) found.half.push(told);
  if (outcome === 'refused' && Math.max(events, ...changes) > 0) found.denied.push(told);
  if (outcome === 'acknowledged' && Math.min(events, ...rows) === 0) found.lost.push(told);
}

function tally(values: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}
