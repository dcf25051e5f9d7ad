import { NO_ROWS, type StagedRows } from './staged-edits.js';
import { type ChangedRows, withChangedRows } from './stored-edits.js';

/** Why the service refused a record, by field; under the empty name what concerns the whole record. */
export type Refusal = Readonly<Record<string, string>>;

export interface StagedState {
  readonly rows: StagedRows;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  /** By the id of the record. */
  readonly refusals: ReadonlyMap<string, Refusal>;
}

/** Steps that can be undone. */
const MOST_STEPS = 200;
const NO_REFUSALS: ReadonlyMap<string, Refusal> = new Map();

/** The changes that are not saved, with undo and redo. Components read it with `useSyncExternalStore`. */
export class StagedStore {
  private past: StagedRows[] = [];
  private future: StagedRows[] = [];
  private state: StagedState = { rows: NO_ROWS, canUndo: false, canRedo: false, refusals: NO_REFUSALS };
  private readonly listeners = new Set<() => void>();

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly getState = (): StagedState => this.state;

  /** One step, which can be undone. */
  change(step: (rows: StagedRows) => StagedRows): void {
    const { rows } = this.state;
    const changed = step(rows);
    if (changed === rows || (changed.size === 0 && rows.size === 0)) return;
    this.past = [...this.past, rows].slice(-MOST_STEPS);
    this.future = [];
    this.set(changed);
  }

  undo(): void {
    const before = this.past.pop();
    if (before === undefined) return;
    this.future.push(this.state.rows);
    this.set(before);
  }

  redo(): void {
    const after = this.future.pop();
    if (after === undefined) return;
    this.past.push(this.state.rows);
    this.set(after);
  }

  /** What another tab has changed. It stays when the changes of this tab are undone. */
  adopt(changes: ChangedRows): void {
    if (changes.size === 0) return;
    const adopted = (rows: StagedRows) => withChangedRows(rows, changes);
    this.past = this.past.map(adopted);
    this.future = this.future.map(adopted);
    this.set(adopted(this.state.rows));
  }

  /** Other changes take the place of all, for example after saving. There is nothing to undo then. */
  replace(rows: StagedRows): void {
    this.past = [];
    this.future = [];
    this.set(rows);
  }

  refuse(refusals: ReadonlyMap<string, Refusal>): void {
    this.set(this.state.rows, refusals);
  }

  /** A refusal ends when its record is changed. */
  private set(rows: StagedRows, refusals = this.refusalsOf(rows)): void {
    this.state = { rows, refusals, canUndo: this.past.length > 0, canRedo: this.future.length > 0 };
    for (const listener of this.listeners) listener();
  }

  private refusalsOf(rows: StagedRows): ReadonlyMap<string, Refusal> {
    const { refusals, rows: before } = this.state;
    if (refusals.size === 0) return refusals;
    return new Map([...refusals].filter(([id]) => rows.has(id) && rows.get(id) === before.get(id)));
  }
}
