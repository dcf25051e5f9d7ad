import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  countChanges,
  type EditedRecord,
  misfitsOf,
  type StagedCell,
  withCells,
  withNewRecord,
  withoutCell,
  withoutRow,
} from './staged-edits.js';
import { StagedStore } from './staged-store.js';

const record = (id: string): EditedRecord => ({ kind: 'updated', id, title: id, etag: `"${id}"` });
const cell = (id: string, field: string, before: unknown, value: unknown): StagedCell => ({
  record: record(id),
  field,
  before,
  entered: { value },
});
const stage = (store: StagedStore, ...cells: StagedCell[]) => store.change(rows => withCells(rows, cells));

describe('changes that are not saved', () => {
  it('keep the first value of a field, and end when it is entered again', () => {
    const store = new StagedStore();
    stage(store, cell('a', 'n', 1, 2));
    stage(store, cell('a', 'n', 2, 3));
    expect(store.getState().rows.get('a')?.fields).toEqual({ n: { before: 1, after: 3 } });
    stage(store, cell('a', 'n', 3, 1));
    expect(store.getState().rows.size).toBe(0);
  });

  it('tell null, an absent field and an empty text apart', () => {
    const store = new StagedStore();
    stage(store, cell('a', 'n', undefined, null), cell('a', 'm', null, ''), cell('a', 'o', '', undefined));
    expect(countChanges(store.getState().rows)).toBe(3);
    stage(store, cell('a', 'p', undefined, undefined));
    expect(countChanges(store.getState().rows)).toBe(3);
  });

  it('remember what was entered and is not a value', () => {
    const store = new StagedStore();
    const entered = { text: 'many', problem: 'integer' } as const;
    store.change(rows => withCells(rows, [{ record: record('a'), field: 'n', before: 1, entered }]));
    expect(misfitsOf(store.getState().rows)).toEqual([{ id: 'a', field: 'n' }]);
    stage(store, cell('a', 'n', 1, 2));
    expect(misfitsOf(store.getState().rows)).toEqual([]);
  });

  it('keep a new record also when its last value is given up', () => {
    const store = new StagedStore();
    store.change(rows => withNewRecord(rows, { kind: 'inserted', id: 'new', title: '' }, { n: 1 }));
    store.change(rows => withoutCell(rows, 'new', 'n'));
    expect(store.getState().rows.get('new')?.fields).toEqual({});
  });

  it('lose a refusal when its record is changed, and no other one', () => {
    const store = new StagedStore();
    stage(store, cell('a', 'n', 1, 2), cell('b', 'n', 1, 2));
    store.refuse(
      new Map([
        ['a', { n: 'is taken' }],
        ['b', { n: 'is taken' }],
      ]),
    );
    stage(store, cell('a', 'n', 1, 3));
    expect([...store.getState().refusals.keys()]).toEqual(['b']);
  });
});

/** Any step that the page can make. */
const steps = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant('cell' as const),
      id: fc.constantFrom('a', 'b', 'c'),
      field: fc.constantFrom('n', 'm'),
      value: fc.constantFrom(0, 1, null, undefined, ''),
    }),
    fc.record({ kind: fc.constant('new' as const), id: fc.constantFrom('x', 'y') }),
    fc.record({ kind: fc.constant('drop' as const), id: fc.constantFrom('a', 'b', 'x') }),
  ),
  { maxLength: 30 },
);

type Step = typeof steps extends fc.Arbitrary<readonly (infer Each)[]> ? Each : never;

function take(store: StagedStore, step: Step): void {
  if (step.kind === 'cell') stage(store, cell(step.id, step.field, 0, step.value));
  else if (step.kind === 'drop') store.change(rows => withoutRow(rows, step.id));
  else store.change(rows => withNewRecord(rows, { kind: 'inserted', id: step.id, title: '' }, { n: 1 }));
}

describe('undo and redo', () => {
  it('lead through exactly the states that were there, in both directions', () => {
    fc.assert(
      fc.property(steps, list => {
        const store = new StagedStore();
        const seen = [store.getState().rows];
        for (const step of list) {
          take(store, step);
          if (store.getState().rows !== seen.at(-1)) seen.push(store.getState().rows);
        }
        for (const rows of seen.toReversed()) {
          expect(store.getState().rows).toBe(rows);
          store.undo();
        }
        expect(store.getState()).toMatchObject({ canUndo: false, canRedo: seen.length > 1 });
        for (const rows of seen) {
          expect(store.getState().rows).toBe(rows);
          store.redo();
        }
        expect(store.getState().canRedo).toBe(false);
      }),
    );
  });

  it('leave what another tab has changed', () => {
    const store = new StagedStore();
    stage(store, cell('a', 'n', 1, 2));
    const theirs = withCells(new Map(), [cell('b', 'n', 1, 5)]);
    store.adopt(theirs);
    store.undo();
    expect(store.getState().rows).toEqual(theirs);
    store.redo();
    expect([...store.getState().rows.keys()]).toEqual(['a', 'b']);
    store.adopt(new Map([['b', undefined]]));
    expect([...store.getState().rows.keys()]).toEqual(['a']);
  });

  it('forget what was undone after another change, and everything after saving', () => {
    const store = new StagedStore();
    stage(store, cell('a', 'n', 1, 2));
    store.undo();
    stage(store, cell('a', 'n', 1, 3));
    expect(store.getState()).toMatchObject({ canUndo: true, canRedo: false });
    store.replace(new Map());
    expect(store.getState()).toMatchObject({ canUndo: false, canRedo: false });
  });
});
