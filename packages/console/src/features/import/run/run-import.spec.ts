import {
  BatchRejectedError,
  CollectionFullError,
  type ImportSummary,
  TcError,
} from '@typed-collections/client';
import { describe, expect, it } from 'vitest';
import type { Slice } from '../file/slices.js';
import { type ImportRun, type Progress, type RefusedRow, runImport } from './run-import.js';

const SUMMARY: ImportSummary = {
  mode: 'append',
  dry_run: false,
  errors: [],
  rows: 2,
  inserted: 2,
  updated: 0,
  skipped: 0,
};

function slice(rows: readonly number[], more: Partial<Slice> = {}): Slice {
  return { body: new Blob([rows.join()]), rows, unreadable: [], bytes: 10 * (rows.at(-1) ?? 0), ...more };
}

function runOf(slices: readonly Slice[], send: ImportRun['send'], more: Partial<ImportRun> = {}) {
  const refused: RefusedRow[] = [];
  const seen: Progress[] = [];
  const run: ImportRun = {
    slices: (async function* () {
      yield* slices;
    })(),
    isAllOrNothing: false,
    send,
    isStopped: () => false,
    whenFull: async () => false,
    problemText: ({ problem }) => problem,
    onProgress: progress => void seen.push(progress),
    onRefused: row => void refused.push(row),
    ...more,
  };
  return { refused, last: () => seen.at(-1), end: runImport(run) };
}

const full = () => new CollectionFullError('full', { code: 'CollectionFull', status: 422 });

describe('an import in parts', () => {
  it('counts what is written and how far the file is read', async () => {
    const { end, last } = runOf([slice([1, 2]), slice([3, 4])], async () => SUMMARY);
    expect(await end).toBe('done');
    expect(last()).toEqual({ bytes: 40, rows: 4, inserted: 4, updated: 0, refused: 0, parts: 2 });
  });

  it('that breaks off goes on with the part that failed, under its number', async () => {
    const unreadable = [{ row: 3, problem: 'quotes', text: '"' }] as const;
    const slices = [slice([1, 2]), slice([4, 5], { unreadable }), slice([6, 7])];
    const sent: number[] = [];
    const lost = new TcError('lost', { code: 'NetworkError', status: 0 });
    const broken = runOf(slices, async (_body, _onRefused, onRows, part) => {
      sent.push(part);
      onRows(1);
      if (part === 2) throw lost;
      return SUMMARY;
    });
    await expect(broken.end).rejects.toBe(lost);
    expect(broken.last()).toMatchObject({ rows: 2, parts: 1, inserted: 2, refused: 0 });
    const rest = runOf(
      slices,
      async (_body, _onRefused, _onRows, part) => {
        sent.push(part);
        return SUMMARY;
      },
      { skipped: 1 },
    );
    expect(await rest.end).toBe('done');
    expect(sent).toEqual([1, 2, 2, 3]);
    expect(rest.last()).toMatchObject({ rows: 5, parts: 2, inserted: 4, refused: 1 });
  });

  it('names refused rows by their number in the file', async () => {
    const unreadable = [{ row: 2, problem: 'quotes', text: '"' }] as const;
    const { end, refused, last } = runOf(
      [slice([1, 3], { unreadable }), slice([4, 5])],
      async (_, onRefused) => {
        onRefused({ row: 2, column: 'year', problem: 'expects an integer', line: 'x' });
        return { ...SUMMARY, inserted: 1 };
      },
    );
    expect(await end).toBe('done');
    expect(refused.map(({ row, problem }) => [row, problem])).toEqual([
      [2, 'quotes'],
      [3, 'expects an integer'],
      [5, 'expects an integer'],
    ]);
    expect(last()).toMatchObject({ refused: 3, inserted: 2, rows: 5 });
  });

  it('stops between two parts, and keeps what is written', async () => {
    let sent = 0;
    const { end, last } = runOf(
      [slice([1, 2]), slice([3, 4])],
      async () => {
        sent += 1;
        return SUMMARY;
      },
      { isStopped: () => sent > 0 },
    );
    expect(await end).toBe('stopped');
    expect(last()?.inserted).toBe(2);
    expect(sent).toBe(1);
  });

  it('sends a part again when the collection takes more', async () => {
    const sent: string[] = [];
    let isFull = true;
    const { end, last, refused } = runOf(
      [slice([1, 2]), slice([3, 4])],
      async (body, onRefused) => {
        sent.push(await body.text());
        onRefused({ row: 1, column: null, problem: 'no', line: null });
        if (isFull && sent.length === 2) throw full();
        return { ...SUMMARY, inserted: 1 };
      },
      {
        whenFull: async () => {
          isFull = false;
          return true;
        },
      },
    );
    expect(await end).toBe('done');
    expect(sent).toEqual(['1,2', '3,4', '3,4']);
    expect(refused).toHaveLength(2);
    expect(last()?.inserted).toBe(2);
  });

  it('stops if the collection stays full', async () => {
    const send = async () => {
      throw full();
    };
    expect(await runOf([slice([1])], send).end).toBe('stopped');
  });

  it('fails with other errors', async () => {
    const error = new TcError('away', { code: 'Unavailable', status: 503 });
    const send = async () => {
      throw error;
    };
    await expect(runOf([slice([1])], send).end).rejects.toBe(error);
  });
});

describe('an import of all rows or none', () => {
  it('ends with the rows that the service names', async () => {
    const send: ImportRun['send'] = async (_, onRefused) => {
      onRefused({ row: 1, column: 'year', problem: 'expects an integer', line: 'x' });
      throw new BatchRejectedError('no', {
        code: 'BatchRejected',
        status: 422,
        details: [
          { row: 1, column: 'year', problem: 'expects an integer' },
          { row: 2, column: 'year', problem: 'expects an integer' },
        ],
      });
    };
    const { end, refused } = runOf([slice([1, 2])], send, { isAllOrNothing: true });
    expect(await end).toBe('refused');
    expect(refused.map(({ row, text }) => [row, text])).toEqual([
      [1, 'x'],
      [2, null],
    ]);
  });

  it('sends nothing if a row cannot be read', async () => {
    const unreadable = [{ row: 1, problem: 'fieldCount', text: 'a' }] as const;
    const { end, refused } = runOf(
      [slice([2], { unreadable })],
      () => expect.unreachable('nothing is sent'),
      { isAllOrNothing: true },
    );
    expect(await end).toBe('refused');
    expect(refused).toHaveLength(1);
  });
});
