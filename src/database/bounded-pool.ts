import pg, { type PoolClient } from 'pg';
import type { PooledClient } from './watched-client.js';

/**
 * Times that TypeORM may borrow a connection before it is replaced. Each may be about a table that the connection has not
 * met: jobs go through those of all organizations. What PostgreSQL learns of one, 10 to 20 kB with each of its indexes, it
 * keeps for as long as the connection lives.
 */
const MOST_USES = 1_000;

type Borrow = (error: Error | undefined, client: PoolClient | undefined, done: Release) => void;
type Release = (error?: Error | boolean) => void;

/**
 * The pool for TypeORM, which borrows with a callback and gives back a connection that the server is ending like any other.
 * Who borrows with a promise says itself when a connection is not to be lent again.
 */
export class BoundedPool extends pg.Pool {
  private readonly uses = new WeakMap<PoolClient, number>();

  override connect(): Promise<PoolClient>;
  override connect(borrow: Borrow): void;
  override connect(borrow?: Borrow): Promise<PoolClient> | undefined {
    if (borrow === undefined) return super.connect();
    super.connect((error, client, done) => {
      borrow(
        error,
        client,
        client === undefined ? done : failure => done(failure || isEnding(client) || this.isUsedUp(client)),
      );
    });
  }

  private isUsedUp(client: PoolClient): boolean {
    const uses = (this.uses.get(client) ?? 0) + 1;
    this.uses.set(client, uses);
    return uses >= MOST_USES;
  }
}

function isEnding(client: PoolClient): boolean {
  return (client as PoolClient & Pick<PooledClient, 'isEnding'>).isEnding;
}
