import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { type JsonText, jsonList } from '../../base/kernel/json.js';
import { parseFilter } from '../../engine/filter/index.js';
import { changesFilter } from '../../engine/storage/changes/change-shape.js';
import type { PlatformRequest } from '../../platform/http/platform-request.js';
import type { Collection } from '../collections/collection.entity.js';
import type { Access } from '../collections/collection-access.js';
import { ChangePositions, positioned } from './change-positions.js';
import { type ChangeQuestion, ChangeReader } from './change-reader.service.js';
import { ChangeStreams } from './change-streams.service.js';
import { type ListChangesQuery, MAX_CHANGES } from './changes.dto.js';

/** Reads the changes of a collection, by request or as a stream. */
@Injectable()
export class Changes {
  constructor(
    private readonly reader: ChangeReader,
    private readonly streams: ChangeStreams,
    private readonly positions: ChangePositions,
  ) {}

  async list(access: Access, query: ListChangesQuery): Promise<JsonText> {
    const { id } = access.collection;
    const { changes, next, more } = await this.reader.read(access, this.question(access.collection, query));
    const texts = positioned(this.positions, id, next, changes).map(([, json]) => json);
    const since = this.positions.sign(id, next);
    return jsonList('{"changes":', texts, `,"next_since":"${since}","has_more":${more}}`);
  }

  /** Resolves when the stream has ended. */
  stream(
    access: Access,
    query: ListChangesQuery,
    request: PlatformRequest,
    response: Response,
  ): Promise<void> {
    const question = { ...this.question(access.collection, query), limit: MAX_CHANGES };
    return this.streams.follow(access, question, request, response);
  }

  private question(collection: Collection, { since, filter, left, limit }: ListChangesQuery): ChangeQuestion {
    const parsed = filter === undefined ? undefined : parseFilter(filter);
    // A read from now on runs no statement, but must refuse what the next one will refuse.
    if (parsed !== undefined) changesFilter(collection, parsed);
    return {
      since:
        since === undefined ? 'now' : since === '' ? 'oldest' : this.positions.open(collection.id, since),
      filter: parsed,
      filterText: JSON.stringify(filter),
      left,
      limit,
    };
  }
}
