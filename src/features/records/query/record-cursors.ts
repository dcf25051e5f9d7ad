import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { invalid, type PlatformError } from '../../../base/kernel/errors.js';
import { SignedCursor } from '../../../base/kernel/signed-cursor.js';
import type { Position, Sort } from '../../../engine/filter/index.js';
import type { CollectionShape } from '../../../engine/storage/collection-shape.js';
import { Secrets } from '../../../platform/config/secrets.js';

/** The cursor of the last page. It is not signed, because it has no position. */
export const END = 'end';

/** The list that a cursor belongs to. */
export interface CursorQuery {
  readonly shape: CollectionShape;
  readonly filter: unknown;
  readonly sort: Sort;
  /** The instant of a list of the past. */
  readonly asOf?: string | undefined;
}

/** A position in a list. `isBackward`: the page ends before it, instead of beginning after it. */
export interface Place {
  readonly position: Position;
  readonly isBackward: boolean;
}

/** Cursors of records: a position in a list with a filter and a sort, and the direction to read. */
@Injectable()
export class Cursors {
  private readonly cursor: SignedCursor;

  constructor(secrets: Secrets) {
    this.cursor = new SignedCursor(secrets.derive('cursor'));
  }

  sign(position: Position, query: CursorQuery, isBackward = false): string {
    const place = isBackward ? { before: position } : position;
    return this.cursor.sign(Buffer.from(JSON.stringify(place)), listOf(query));
  }

  /** Throws 400 for a cursor that was altered, or belongs to another collection, filter or sort. */
  open(cursor: string, query: CursorQuery): Place {
    const signed = this.cursor.open(cursor, listOf(query));
    if (signed === undefined) throw foreignCursor();
    const place: Position | { readonly before: Position } = JSON.parse(signed.toString('utf8'));
    return 'before' in place
      ? { position: place.before, isBackward: true }
      : { position: place, isBackward: false };
  }
}

function foreignCursor(): PlatformError {
  return invalid(
    'cursor: is not a cursor of this query. Send it with the filter, sort and as_of that it was returned for.',
  );
}

/**
 * The digest of the list. It contains the types of the sort columns, because a position can only be decoded with them.
 */
function listOf({ shape, filter, sort, asOf }: CursorQuery): Buffer {
  const types = sort.map(({ path }) => shape.columns[path[0] as string]?.type ?? null);
  const list = [shape.id, filter ?? {}, sort, types, ...(asOf === undefined ? [] : [asOf])];
  return hash('sha256', JSON.stringify(list), 'buffer');
}
