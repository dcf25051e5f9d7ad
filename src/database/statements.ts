import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { Pool, PoolClient } from 'pg';
import type { DataSource } from 'typeorm';

/** A text seen this often gets a prepared statement; rarer ones are planned each time. */
const PREPARE_FROM = 3;
/** Texts remembered per process, and prepared statements a connection may hold before it is replaced. */
const MAX_TEXTS = 1_000;
const MAX_PER_CONNECTION = 500;

interface KnownText {
  uses: number;
  readonly name: string;
}

/** Rows as arrays of column values, in the order of the select list. */
export type Rows = readonly unknown[][];

/**
 * Runs the hand-made SQL of users' tables on the pool that TypeORM opened. Statements are prepared by their text:
 * equal text, equal name, so text must never hold a value.
 */
@Injectable()
export class Statements {
  private readonly pool: Pool;
  private readonly texts = new Map<string, KnownText>();
  private readonly held = new WeakMap<PoolClient, Set<string>>();
  private count = 0;

  constructor(@InjectDataSource() source: DataSource) {
    this.pool = (source.driver as unknown as { master: Pool }).master;
  }

  /** One statement, one round trip, its own transaction. Rejects with node-postgres' DatabaseError. */
  async run(text: string, values: unknown[]): Promise<Rows> {
    const name = this.nameOf(text);
    const client = await this.pool.connect();
    let broken: boolean | Error = false;
    try {
      const result = await client.query({ text, values, rowMode: 'array', ...(name && { name }) });
      return result.rows as unknown[][];
    } catch (error) {
      broken = !isServerError(error) && (error as Error);
      throw error;
    } finally {
      client.release(broken || (name !== undefined && this.isFull(client, name)));
    }
  }

  private nameOf(text: string): string | undefined {
    let known = this.texts.get(text);
    if (known === undefined) {
      known = { uses: 0, name: `s${++this.count}` };
    } else {
      this.texts.delete(text);
    }
    this.texts.set(text, known); // newest last: the map is an LRU list
    if (this.texts.size > MAX_TEXTS) this.texts.delete(this.texts.keys().next().value as string);
    return ++known.uses >= PREPARE_FROM ? known.name : undefined;
  }

  private isFull(client: PoolClient, name: string): boolean {
    const names = this.held.get(client) ?? new Set<string>();
    this.held.set(client, names.add(name));
    return names.size > MAX_PER_CONNECTION;
  }
}

/** True when PostgreSQL answered with an error (SQLSTATE), so that the connection is still in order. */
function isServerError(error: unknown): boolean {
  return typeof (error as { severity?: unknown }).severity === 'string';
}
