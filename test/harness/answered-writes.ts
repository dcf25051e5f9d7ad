import { setImmediate as turn } from 'node:timers/promises';
import { vi } from 'vitest';
import type { Quota } from '../../src/engine/storage/quota/quota.js';
import type { RecordStore } from '../../src/engine/storage/record-store.js';
import { rendered, type Statement } from '../../src/engine/storage/statement.js';
import type { Collection } from '../../src/features/collections/collection.entity.js';
import { INSERTS } from '../../src/features/records/record-inserts.service.js';
import type { WriteDescription } from '../../src/features/records/record-writes.js';
import { NotShared, type SharedWrite, type WriteKind } from '../../src/features/records/shared-write.js';
import { SharedWrites } from '../../src/features/records/shared-writes.service.js';

export const COLLECTION = {
  id: '0199f3a2-7c41-7b1e-9d2a-3f5b8c6d7e02',
  orgId: '0199f3a2-7c41-7b1e-9d2a-3f5b8c6d7e01',
  name: 'books',
  version: 1,
  columns: {},
  uniques: [],
} as unknown as Collection;

/** A database whose statements answer when the test lets them, and the writes that share statements on it. */
export class AnsweredWrites {
  readonly statements: {
    ids: string[];
    answer: (values: unknown[]) => void;
    fail: (error: Error) => void;
  }[] = [];
  locked = false;
  readonly deadline = () => performance.now() + 15_000;
  readonly isLocked = () => this.locked;
  readonly write = vi.fn(
    (_: Collection, statement: Statement) =>
      new Promise<unknown[]>((answer, fail) => this.statements.push({ ids: idsIn(statement), answer, fail })),
  );
  private readonly sharedWrites = new SharedWrites(this as unknown as RecordStore);

  /** The records of each statement that was sent. */
  asked(): string[][] {
    return this.statements.map(({ ids }) => ids);
  }

  /** `values`: those of inserts that are all done, unless they are given. */
  answer(which: number, values?: unknown[]): Promise<void> {
    const { ids, answer } = this.statements[which] ?? { ids: [], answer: () => undefined };
    answer(values ?? [ids.join()]);
    return turn();
  }

  fail(which: number, error: Error): Promise<void> {
    this.statements[which]?.fail(error);
    return turn();
  }

  /** Inserts records with these ids at the same time. Resolves to the outcomes in the same order. */
  insert(ids: readonly string[], quota: Quota = { generation: 1 }, until = Infinity) {
    return ids.map(id =>
      this.share(COLLECTION, INSERTS, {
        recordId: id,
        list: [id, {}],
        json: JSON.stringify([id, {}]),
        quota,
        description: actOf(`c-${id}`),
        until,
      }),
    );
  }

  /** Writes with others, otherwise alone, as the next attempt of a request does. Resolves to the outcome. */
  share<Write extends SharedWrite, Result>(
    collection: Collection,
    kind: WriteKind<Write, Result>,
    write: Write,
  ): Promise<Result | Error> {
    return this.sharedWrites
      .write(collection, kind, write, false)
      .catch(error => {
        if (!(error instanceof NotShared)) throw error;
        return this.sharedWrites.write(collection, kind, write, true);
      })
      .catch((error: Error) => error);
  }

  /** Inserts `a` and `b` with a statement each, which are running, so that further inserts wait. */
  async busy(quota?: Quota) {
    const outcomes = this.insert(['a'], quota);
    await turn();
    outcomes.push(...this.insert(['b'], quota));
    await turn();
    return outcomes;
  }
}

/** The records of a statement: those of its rows, or the one that it selects. */
function idsIn(statement: Statement): string[] {
  const { values } = rendered(statement);
  const rows = values.find(value => typeof value === 'string' && /^\[(\["|{"_id")/.test(value));
  if (rows === undefined) return [values[2] as string];
  return JSON.parse(rows as string).map((row: { _id: string } | [id: string]) =>
    Array.isArray(row) ? row[0] : row._id,
  );
}

export function actOf(
  correlationId: string,
  type: WriteDescription['type'] = 'collections.records.inserted',
): WriteDescription {
  return {
    call: { principal: { type: 'user', id: 'u' }, via: 'rest', correlationId, ip: undefined },
    type,
    answer: () => '{}',
  } as unknown as WriteDescription;
}
