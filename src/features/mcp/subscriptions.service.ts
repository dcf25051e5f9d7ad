import { Injectable } from '@nestjs/common';
import { invalid } from '../../base/kernel/errors.js';
import type { PlatformRequest } from '../../platform/http/platform-request.js';
import { type ChangeSignals, ChangeStreams } from '../changes/change-streams.service.js';
import { CollectionAccess } from '../collections/collection-access.js';
import type { Subscription } from './protocol/transport.js';
import { partOf, refuse } from './resources.service.js';
import type { McpSession } from './tools/tool.js';

/** Maximum number of collections in one stream. */
const MAX_COLLECTIONS = 10;
/** Each collection has two resources, and each of them two URIs: with its id and with its name. */
const MAX_URIS = 4 * MAX_COLLECTIONS;

/** The subscribed resources of one collection. */
interface Watched {
  readonly signals: ChangeSignals;
  readonly sample: string[];
  readonly schema: string[];
}

/** Streams that report changed resources, read from the change feeds of the collections. */
@Injectable()
export class Subscriptions {
  constructor(
    private readonly accesses: CollectionAccess,
    private readonly streams: ChangeStreams,
  ) {}

  /** Throws the same errors as reading the resources, and 429 when the caller has too many streams. */
  async open(session: McpSession, request: PlatformRequest, uris: readonly string[]): Promise<Subscription> {
    if (uris.length > MAX_URIS) throw invalid(`resourceSubscriptions: at most ${MAX_URIS} resources`);
    const watched = new Map<string, Watched>();
    const subscription: Subscription = async (gone, tell) => {
      const ended = new AbortController();
      const both = AbortSignal.any([gone, ended.signal]);
      const all = [...watched.values()].map(({ signals, sample, schema }) =>
        // When one ends, for example because the caller lost the right to read it, the whole stream ends.
        signals(both, what => (what === 'records' ? sample : schema).forEach(tell)).finally(() =>
          ended.abort(),
        ),
      );
      return (await Promise.all(all)).includes('reset') ? 'reset' : 'ended';
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
