import type { Queryable } from '../../database/queryable.js';
import { newId } from '../../kernel/id.js';
import { beginFeed } from '../../storage/change-feed.js';
import type { CollectionShape, ColumnDefinition } from '../../storage/collection-shape.js';
import { ORG_SCHEMA } from './catalog.js';

interface FollowedCollection {
  readonly id: string;
  readonly orgId: string;
  readonly version: number;
  readonly columns: Record<string, ColumnDefinition>;
  readonly mayExpire: boolean;
}

/**
 * Ends every feed of changes, and begins new ones for webhooks: places in a feed are transaction ids of another cluster.
 * Webhooks hear of what is written from now on; programs that hold a position are told to read anew (410).
 */
export async function restartFeeds(session: Queryable): Promise<void> {
  await session.query(`
    DO $$ DECLARE name text; BEGIN
      FOR name IN SELECT oid::regprocedure FROM pg_proc WHERE proname ~ '^follow_[0-9a-f]{32}$'
        AND pronamespace IN (SELECT oid FROM pg_namespace WHERE nspname ~ '${ORG_SCHEMA}') LOOP
        EXECUTE format('DROP FUNCTION %s CASCADE', name);
      END LOOP;
    END $$`);
  const followed: FollowedCollection[] = await session.query(
    `SELECT id, org_id AS "orgId", version::float8, columns, may_expire AS "mayExpire" FROM collections
     WHERE id IN (SELECT collection_id FROM webhooks)`,
  );
  for (const collection of followed) {
    const feed = newId();
    await session.query('BEGIN');
    await beginFeed(session, shapeOf(collection), feed);
    await session.query(
      'UPDATE webhooks SET feed = $2, after_xid = 0, after_seq = 0 WHERE collection_id = $1',
      [collection.id, feed],
    );
    await session.query('COMMIT');
  }
}

/** jsonb keeps no order of keys; the columns' numbers do. */
function shapeOf({ columns, ...collection }: FollowedCollection): CollectionShape {
  const ordered = Object.entries(columns).sort(([, a], [, b]) => a.number - b.number);
  return { ...collection, columns: Object.fromEntries(ordered) };
}
