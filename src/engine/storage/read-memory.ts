import type { ByteBudget } from '../../base/kernel/bounds/byte-budget.js';
import { ownTurn } from '../../base/kernel/bounds/own-turn.js';
import type { RowBound, Rows } from '../../platform/database/statements.js';
import { Stale } from './stale.js';
import { isPlaceholder, type Statement, withLongTexts } from './statement.js';

/** Rows up to this total size take no memory from the budget. */
const FREE_BYTES = 1024 * 1024;
/** Copies of a response in memory: as rows, as one text and as the bytes to send. */
const COPIES = 3;

interface Limits {
  /** A lower limit of the size than that of a response; at least a megabyte. */
  readonly maxBytes?: number | undefined;
  /** The caller takes turns with others that wait for memory. */
  readonly caller?: { readonly id?: string | undefined } | undefined;
}

/** Runs statements whose rows may be large within the budget of memory. */
export class ReadMemory {
  /** `limit`: maximum size of a response. */
  constructor(
    private readonly budget: ByteBudget,
    private readonly limit: number,
  ) {}

  /**
   * The rows of a statement. Takes memory from the budget if they are large. When no memory is left, the statement is given
   * up, so that it holds no connection while it waits, and is sent again later.
   */
  async within(
    orgId: string,
    statement: Statement,
    { maxBytes: lower = Infinity, caller }: Limits,
    send: (statement: Statement, bound: RowBound) => Promise<Rows | undefined>,
  ): Promise<Rows> {
    const need = this.limit * COPIES;
    // A lower limit would often cut off rows, and a connection is closed when that happens.
    const maxBytes = Math.min(this.limit, Math.max(lower, FREE_BYTES));
    let held = false;
    const admit = () => {
      held ||= this.budget.tryTake(orgId, need, caller?.id);
      return held;
    };
    try {
      const free = { maxBytes, freeBytes: FREE_BYTES, admit, isTooLong: isPlaceholder };
      let rows = await send(statement, free);
      if (isGivenUp(rows)) {
        if (!held) await this.budget.take(orgId, need, caller?.id);
        held = true;
        rows = await send(withLongTexts(statement), { maxBytes, freeBytes: maxBytes, admit });
      }
      // To make a large response and to hand it to the operating system takes milliseconds.
      if (held) await ownTurn(orgId);
      return rowsOf(rows);
    } finally {
      // By then the response has been handed over, and the code that sends it counts its memory.
      if (held) setImmediate(() => this.budget.give(orgId, need, caller?.id));
    }
  }
}

/** True when all rows were left out because they need memory. */
function isGivenUp(rows: Rows | undefined): boolean {
  return rows?.length === 0 && rows.isCut === true;
}

/** The rows of a read. Without a row its version check has failed. */
export function rowsOf(rows: Rows | undefined): Rows {
  if (rows === undefined || rows.length === 0) throw new Stale();
  return rows;
}
