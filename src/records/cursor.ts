import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Secrets } from '../config/secrets.js';
import type { Position, Sort } from '../filter/index.js';
import { invalid } from '../kernel/errors.js';
import { SignedCursor } from '../kernel/signed-cursor.js';
import type { CollectionShape } from '../storage/collection-shape.js';

/** The list that a cursor belongs to. */
export interface CursorQuery {
  readonly shape: CollectionShape;
  readonly filter: unknown;
  readonly sort: Sort;
}

/** Cursors of records: a position in a list with a filter and a sort. */
@Injectable()
export class Cursors {
  private readonly cursor: SignedCursor;

  constructor(secrets: Secrets) {
    this.cursor = new SignedCursor(secrets.derive('cursor'));
  }

  sign(position: Position, query: CursorQuery): string {
    return this.cursor.sign(Buffer.from(JSON.stringify(position)), listOf(query));
  }

  /** Throws 400 for a cursor that was altered, or belongs to another collection, filter or sort. */
  open(cursor: string, query: CursorQuery): Position {
    const position = this.cursor.open(cursor, listOf(query));
    if (position === undefined) {
      throw invalid(
        'cursor: is not a cursor of this query. Send it with the filter and sort that it was returned for.',
      );
    }
    return JSON.parse(position.toString('utf8'));
  }
}

/**
 * The digest of the list. It contains the types of the sort columns, because a position can only be decoded with them.
 */
function listOf({ shape, filter, sort }: CursorQuery): Buffer {
  const types = sort.map(({ path }) => shape.columns[path[0] as string]?.type ?? null);
  return createHash('sha256')
    .update(JSON.stringify([shape.id, filter ?? {}, sort, types]))
    .digest();
}
