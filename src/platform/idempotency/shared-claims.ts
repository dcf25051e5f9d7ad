import type { AnswerText, Retry } from '../../base/kernel/call.js';
import { type Cte, literal, type Param, param, type Sql, sql } from '../../base/sql/index.js';
import { RESPONSE_COLUMNS, responsesTable } from './stored-responses.js';

/** The results of a write of one record, with a placeholder of PostgreSQL's `format` for its id. */
const CHANGED = { matched: '1', updated: '1', id: '%1$s' };
const UNCHANGED = { ...CHANGED, updated: '0' };

/**
 * The claims and stored responses of writes that share a statement. Writes with and without an Idempotency-Key may be in
 * one statement. A claim never waits.
 */
export class SharedClaims {
  /** What makes the texts of responses. Most statements have one of them for all writes. */
  private readonly makers: AnswerText[] = [];

  /** @param first the place of the claim in a list, after what else the list has */
  constructor(
    private readonly orgId: string,
    private readonly first: number,
  ) {}

  /** Adds a claim to the list of its write, which has the elements of its event. */
  add(list: unknown[], { caller, key, digest, status }: Retry, text: AnswerText): void {
    let at = this.makers.indexOf(text);
    if (at < 0) at = this.makers.push(text) - 1;
    list.push(caller, key, digest.hex, status, 2 * at + 1);
  }

  get isEmpty(): boolean {
    return this.makers.length === 0;
  }

  /** SQL of the elements of a claim as texts, in the order of `add`. */
  private get elements() {
    const [caller, key, digest, status, text] = [0, 1, 2, 3, 4].map(
      position => sql`e.list->>${literal(this.first + position)}`,
    ) as [Sql, Sql, Sql, Sql, Sql];
    return { caller, key, digest, status, text };
  }

  /**
   * A query of the lists whose key is free, and of those without a key, as `_id` and `list`. It claims these keys until the
   * end of the transaction, as `claim_idempotency_key` does. A key that another transaction has claimed, or that has a
   * response, only leaves its write out. The statement sees what was committed before it began. So a response that was
   * stored since then is found only when this statement stores its own: then it fails, and nothing is written.
   */
  free(current: Cte, lists: Param): Sql {
    const { caller, key } = this.elements;
    const isAnswered = sql`(SELECT true FROM ${responsesTable(this.orgId)} k WHERE k.caller = ${caller} AND k.key = ${key})`;
    return sql`SELECT (e.list->>0)::uuid AS _id, e.list
    FROM ${current}, jsonb_array_elements(${lists}) AS e(list)
    WHERE CASE WHEN ${key} IS NULL THEN true
      WHEN pg_try_advisory_xact_lock(hashtextextended((${caller}) || ' ' || (${key}), 3)) THEN ${isAnswered} IS NULL
      ELSE false END`;
  }

  /** Stores the response of each record in `matched`, from the lists in `free`. Those in `written` have changed. */
  store(free: Cte, matched: Cte, written: Cte): Sql {
    const { caller, key, digest, status, text } = this.elements;
    const texts = param(
      this.makers.flatMap(make => [make(CHANGED), make(UNCHANGED)]),
      'text[]',
    );
    const changed = sql`(${text})::int`;
    const at =
      matched === written
        ? changed
        : sql`${changed} + CASE WHEN e._id IN (SELECT _id FROM ${written}) THEN 0 ELSE 1 END`;
    return sql`INSERT INTO ${responsesTable(this.orgId)} (${RESPONSE_COLUMNS})
    SELECT ${caller}, ${key}, decode(${digest}, 'hex'), (${status})::smallint, format((${texts})[${at}], e._id),
      false, statement_timestamp()
    FROM ${free} e WHERE ${key} IS NOT NULL AND e._id IN (SELECT _id FROM ${matched})`;
  }
}
