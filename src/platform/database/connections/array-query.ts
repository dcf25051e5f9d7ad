import pg, { type ClientBase } from 'pg';

/** Fields of a query that the types of node-postgres leave out. */
interface Internals {
  name: string | undefined;
  _rowMode: 'array';
  _result: object;
  _results: object;
}

const { Result } = pg as unknown as { Result: new (rowMode: 'array') => object };

/**
 * A query whose rows are arrays. It is prepared if it has a name. Its options are set here, because node-postgres copies
 * an object of options property by property, which takes longer than all else that it does with a query.
 */
export class ArrayQuery extends pg.Query {
  constructor(text: string, values: unknown[], name: string | undefined) {
    super(text, values);
    const internals = this as unknown as Internals;
    internals.name = name;
    internals._rowMode = 'array';
    internals._result = new Result('array');
    internals._results = internals._result;
  }

  /** Sends the query. Rejects with the error of node-postgres. */
  run(client: ClientBase): Promise<unknown[][]> {
    return new Promise((resolve, reject) => this.send(client, resolve, reject));
  }

  protected send(
    client: ClientBase,
    resolve: (rows: unknown[][]) => void,
    reject: (error: Error) => void,
  ): void {
    const ended = (error: Error | null, result: { rows: unknown[][] }) =>
      error === null ? resolve(result.rows) : reject(error);
    (client.query as (query: ArrayQuery, ended: unknown) => void).call(client, this, ended);
  }
}
