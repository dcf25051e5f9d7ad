// What the service uses of node-postgres and TypeORM beyond their interfaces. The tests beside this file fail when an
// update of these packages changes it.
import type { Socket } from 'node:net';
import pg, { type ClientBase, type Pool } from 'pg';
import type { DataSource, QueryRunner } from 'typeorm';

interface Connection {
  readonly stream: Socket;
  /** The texts of prepared statements by name. */
  readonly parsedStatements: Readonly<Record<string, string>>;
  on(event: 'errorMessage', listener: (error: unknown) => void): void;
  /** Passes what the socket receives to the parser. Called when the connection is open, over TLS or not. */
  attachListeners(stream: { on(event: string, listener: (chunk: Buffer) => void): unknown }): void;
}

interface Client {
  readonly connection: Connection;
  /** False while a statement runs. */
  readonly readyForQuery?: boolean;
  readonly processID: number | null;
  readonly secretKey: number;
  readonly host: string;
  readonly port: number;
  readonly ssl: boolean | object;
}

/** A client of node-postgres with what its types leave out. */
export function privateClient(client: ClientBase): Client {
  return client as unknown as Client;
}

export function socketOf(client: ClientBase): Socket {
  return privateClient(client).connection.stream;
}

/** False when node-postgres sends the text of a prepared statement with its next use. */
export function isPrepared(client: ClientBase, name: string): boolean {
  return privateClient(client).connection.parsedStatements[name] !== undefined;
}

/** A connection that was not opened, for a cancel request. */
interface CancelConnection {
  readonly stream: { setTimeout(ms: number, late: () => void): void; destroy(): void };
  on(event: string, listener: () => void): void;
  connect(portOrPath: number | string, host?: string): void;
  requestSsl(): void;
  cancel(processID: number, secretKey: number): void;
}

export function cancelConnection(ssl: boolean | object): CancelConnection {
  return new pg.Connection({ ssl: ssl as boolean }) as unknown as CancelConnection;
}

interface Query {
  name: string | undefined;
  _rowMode: 'array';
  _result: { rows: unknown[][] };
  _results: object;
}

export interface DataRow {
  readonly length: number;
  readonly fields: unknown[];
}

const { Result } = pg as unknown as { Result: new (rowMode: 'array') => Query['_result'] };
const { handleDataRow } = pg.Query.prototype as unknown as { handleDataRow(row: DataRow): void };

/**
 * A query whose rows are arrays. It is prepared if it has a name. Its options are set here, because node-postgres copies
 * an object of options property by property, which takes longer than all else that it does with a query.
 */
export class ArrayQuery extends pg.Query {
  constructor(text: string, values: unknown[], name: string | undefined) {
    super(text, values);
    const query = this.private;
    query.name = name;
    query._rowMode = 'array';
    query._result = new Result('array');
    query._results = query._result;
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

  /** Adds a row to the result. A subclass with `handleDataRow` is called for each row. */
  protected add(row: DataRow): void {
    handleDataRow.call(this, row);
  }

  /** The rows that have arrived. */
  protected get taken(): unknown[][] {
    return this.private._result.rows;
  }

  private get private(): Query {
    return this as unknown as Query;
  }
}

/** The pool of TypeORM. */
export function poolOf(source: DataSource): Pool {
  return (source.driver as unknown as { master: Pool }).master;
}

/**
 * Tells TypeORM that a transaction was begun. Otherwise it begins one of its own to save an entity
 * (test/scenarios/operations/transactions.spec.ts).
 */
export function joinTransaction(runner: QueryRunner): void {
  Object.assign(runner, { isTransactionActive: true });
}
