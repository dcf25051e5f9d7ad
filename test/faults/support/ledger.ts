/**
 * The outcome of a request as its client saw it. `refused`: 503, and nothing was written; `unknown`: 503, and
 * whether the request wrote anything is unknown; `dropped`: no answer.
 */
export type Outcome = 'acknowledged' | 'refused' | 'unknown' | 'dropped' | 'wrong';

/** One write with a unique `op`, which its records, event and changes contain. */
export interface Write {
  readonly op: string;
  readonly kind: 'insert' | 'bulk' | 'upsert' | 'update';
  /** Marks of the records that it creates or changes. Unique, except for upserts and updates of the same record. */
  readonly marks: readonly string[];
  outcome: Outcome;
}

/** The contents of the database after the test. */
export interface Stored {
  readonly records: readonly { readonly mark: string; readonly log: readonly string[] | null }[];
  /** Audit events by the correlation id of their request. */
  readonly events: readonly { readonly op: string; readonly count: number }[];
  /** The change feed. */
  readonly changes: readonly { readonly mark: string; readonly op: string }[];
}

/** Every kind of difference between acknowledged and stored writes. All lists are empty when nothing went wrong. */
export interface Differences {
  /** Acknowledged but not stored. */
  readonly lost: string[];
  /** Stored more than once: a record, its event or its change. */
  readonly duplicated: string[];
  /** Stored, although the client was told that nothing was written. */
  readonly denied: string[];
  /** Stored in part: some records of a batch, or records without their event or their change. */
  readonly half: string[];
}

/** Compares the answers that clients got with the contents of the database. */
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

/** Checks that a write is atomic: all its records, one event and one change per record, once or never. */
function judge({ op, kind, marks, outcome }: Write, counts: Counts, found: Differences): void {
  const events = counts.events.get(op) ?? 0;
  const changes = marks.map(mark => counts.changes.get(`${mark} ${op}`) ?? 0);
  const rows = marks.map(mark =>
    kind === 'update' ? (counts.updates.get(`${mark} ${op}`) ?? 0) : (counts.rows.get(mark) ?? 0),
  );
  // The record of an upsert may exist already, made by an earlier upsert.
  const whole = kind === 'upsert' && events === 0 ? changes : [...changes, ...rows];
  const description = `${kind} ${op}: ${events} events, changes ${[...new Set(changes)]}, records ${[...new Set(rows)]}`;
  if (Math.max(events, ...changes, ...rows) > 1) found.duplicated.push(description);
  else if (whole.some(count => count !== events)) found.half.push(description);
  else if (events === 1 && counts.eventRows.get(op) !== marks.length) found.half.push(description);
  if (outcome === 'refused' && Math.max(events, ...changes) > 0) found.denied.push(description);
  if (outcome === 'acknowledged' && Math.min(events, ...rows) === 0) found.lost.push(description);
}

function tally(values: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}
