import pg from 'pg';
import { DataSource } from 'typeorm';
import { describe, expect, it } from 'vitest';
import {
  ArrayQuery,
  cancelConnection,
  isPrepared,
  joinTransaction,
  poolOf,
  privateClient,
  socketOf,
} from './private-api.js';

describe('a client of node-postgres', () => {
  const client = new pg.Client();

  it('has its socket, from which it passes what it receives to the parser', () => {
    expect(socketOf(client)).toMatchObject({ cork: expect.any(Function), uncork: expect.any(Function) });
    const events: string[] = [];
    const socket = { on: (event: string) => events.push(event) };
    privateClient(client).connection.attachListeners(socket);
    expect(events).toContain('data');
  });

  it('knows the texts of its prepared statements', () => {
    expect(isPrepared(client, 's1')).toBe(false);
    Object.assign(privateClient(client).connection.parsedStatements, { s1: 'SELECT 1' });
    expect(isPrepared(client, 's1')).toBe(true);
  });

  it('tells the process and the key of its backend, and whether a statement runs', () => {
    expect(privateClient(client)).toMatchObject({ processID: null, host: expect.any(String), ssl: false });
    const internals = client as unknown as Record<string, (message: object) => void>;
    internals._handleBackendKeyData?.({ processID: 7, secretKey: 8 });
    expect(privateClient(client)).toMatchObject({ processID: 7, secretKey: 8 });
    internals._handleReadyForQuery?.({});
    expect(privateClient(client).readyForQuery).toBe(true);
  });

  it('sends a cancel request on a connection of its own', () => {
    const { stream, ...methods } = cancelConnection(false);
    expect(stream.setTimeout).toBeTypeOf('function');
    expect(methods).toBeDefined();
    for (const name of ['cancel', 'requestSsl', 'connect', 'on'] as const)
      expect(cancelConnection(false)[name], name).toBeTypeOf('function');
  });
});

describe('a query', () => {
  class MeasuredQuery extends ArrayQuery {
    bytes = 0;

    handleDataRow(row: { length: number; fields: unknown[] }): void {
      this.bytes += row.length;
      this.add(row);
    }

    get arrived() {
      return this.taken;
    }
  }

  it('gets its rows as arrays, and is told of each', () => {
    const query = new MeasuredQuery('SELECT $1', ['a'], 's1');
    const described = { fields: [{ name: 'a', dataTypeID: 25, format: 'text' }] };
    (query as unknown as { handleRowDescription(message: object): void }).handleRowDescription(described);
    query.handleDataRow({ length: 3, fields: ['one'] });
    query.handleDataRow({ length: 3, fields: ['two'] });
    expect(query.arrived).toEqual([['one'], ['two']]);
    expect(query).toMatchObject({ name: 's1', text: 'SELECT $1', values: ['a'], bytes: 6 });
  });
});

describe('TypeORM', () => {
  class FakePool extends pg.Pool {
    override connect(...[borrow]: unknown[]): never {
      const query = () => Promise.reject(new Error('no database'));
      const client = Object.assign(new pg.Client(), { query });
      if (typeof borrow === 'function') borrow(undefined, client, () => undefined);
      return undefined as never;
    }
  }
  const source = new DataSource({ type: 'postgres', driver: { ...pg, Pool: FakePool } });

  it('begins no transaction in one that was joined', async () => {
    const runner = source.createQueryRunner();
    expect(runner.isTransactionActive).toBe(false);
    joinTransaction(runner);
    expect(runner.isTransactionActive).toBe(true);
  });

  it('has one pool', async () => {
    await expect(source.driver.connect()).rejects.toThrow('no database');
    expect(poolOf(source)).toBeInstanceOf(FakePool);
  });
});
