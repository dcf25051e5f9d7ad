import { Injectable } from '@nestjs/common';
import { type ChangeSignals, ChangeStreams } from '../changes/change-streams.service.js';
import { CollectionAccess } from '../collections/collection-access.js';
import type { PlatformRequest } from '../http/platform-request.js';
import { invalid } from '../kernel/errors.js';
import type { McpSession } from './mcp-session.js';
import { partOf, refuse } from './resources.service.js';
import type { Subscription } from './transport.js';

/** Collections of one stream. */
const MAX_COLLECTIONS = 10;
/** Two resources of each, and as many spellings: by id and by name. */
const MAX_URIS = 4 * MAX_COLLECTIONS;

/** The resources of one collection that a stream is about. */
interface Watched {
  readonly signals: ChangeSignals;
  readonly sample: string[];
  readonly schema: string[];
}

/** Streams that tell when a resource has changed, from the feeds of the collections. */
@Injectable()
export class Subscriptions {
  constructor(
    private readonly accesses: CollectionAccess,
    private readonly streams: ChangeStreams,
  ) {}

  /** Throws what reading the resources is refused with, and 429 when the caller has too many streams. */
  async open(session: McpSession, request: PlatformRequest, uris: readonly string[]): Promise<Subscription> {
    if (uris.length > MAX_URIS) throw invalid(`resourceSubscriptions: at most ${MAX_URIS} resources`);
    const watched = new Map<string, Watched>();
    const subscription: Subscription = async (gone, tell) => {
      const ended = new AbortController();
      const both = AbortSignal.any([gone, ended.signal]);
      const all = [...watched.values()].map(({ signals, sample, schema }) =>
        // One that ends, for example because the caller may no longer read it, ends them all.
        signals(both, what => (what === 'records' ? sample : schema).forEach(tell)).finally(() =>
          ended.abort(),
        ),
      );
      await Promise.all(all);
    };
    try {
      for (const uri of new Set(uris)) {
        await this.watch(session, request, uri, watched).catch(error => refuse(error, uri, session));
      }
    } catch (error) {
      await subscription(AbortSignal.abort(), () => undefined);
      throw error;
    }
    return subscription;
  }

  private async watch(
    session: McpSession,
    request: PlatformRequest,
    uri: string,
    watched: Map<string, Watched>,
  ): Promise<void> {
    const { collection, part } = partOf(session, uri);
    const access = await this.accesses.fresh(session.call.principal, collection, 'read');
    const { id } = access.collection;
    const known = watched.get(id);
    if (known === undefined && watched.size === MAX_COLLECTIONS) {
      throw invalid(`resourceSubscriptions: at most ${MAX_COLLECTIONS} collections`);
    }
    const own = known ?? { signals: await this.streams.signals(access, request), sample: [], schema: [] };
    own[part].push(uri);
    watched.set(id, own);
  }
}
