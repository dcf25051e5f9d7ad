import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import type { Access } from '../collections/collection-access.js';
import { parseFilter } from '../filter/index.js';
import type { PlatformRequest } from '../http/platform-request.js';
import { JsonText } from '../kernel/json.js';
import { ChangePositions, type ChangeQuestion, ChangeReader, positioned } from './change-reader.service.js';
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
    const { changes, next, more } = await this.reader.read(access, this.question(id, query));
    const texts = positioned(this.positions, id, next.feed, changes).map(([, json]) => json);
    const since = this.positions.sign(id, next);
    return new JsonText(`{"changes":[${texts.join(',')}],"next_since":"${since}","has_more":${more}}`);
  }

  /** Resolves when the stream has ended. */
  stream(
    access: Access,
    query: ListChangesQuery,
    request: PlatformRequest,
    response: Response,
  ): Promise<void> {
    const question = { ...this.question(access.collection.id, query), limit: MAX_CHANGES };
    return this.streams.follow(access, question, request, response);
  }

  private question(collectionId: string, { since, filter, limit }: ListChangesQuery): ChangeQuestion {
    return {
      since: since === undefined ? 'now' : since === '' ? 'oldest' : this.positions.open(collectionId, since),
      filter: filter === undefined ? undefined : parseFilter(filter),
      filterText: JSON.stringify(filter),
      limit,
    };
  }
}
