import type { CompleteRequest, CompleteResult } from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import { Collections } from '../collections/collections.service.js';
import { activeMembership } from '../kernel/principal.js';
import type { McpSession } from './mcp-session.js';
import { mayReach } from './tool.js';

/** As many values as the protocol allows in one answer. */
const MAX_VALUES = 100;
/** No name of a collection is longer. */
const MAX_PREFIX = 64;

/** Arguments of prompts and resource templates that mean a collection. */
const COLLECTIONS: ReadonlySet<string> = new Set([
  'ref/prompt explore_collection collection_id',
  'ref/resource collection://{id}/schema id',
  'ref/resource collection://{id}/sample id',
]);

/** Completes what a person types for an argument: the names of the collections that they reach. */
@Injectable()
export class Completions {
  constructor(private readonly collections: Collections) {}

  async complete(session: McpSession, { ref, argument }: CompleteRequest['params']): Promise<CompleteResult> {
    const about = ref.type === 'ref/prompt' ? ref.name : ref.uri;
    const known = COLLECTIONS.has(`${ref.type} ${about} ${argument.name}`);
    const found = known ? await this.names(session, argument.value) : [];
    return { completion: { values: found.slice(0, MAX_VALUES), hasMore: found.length > MAX_VALUES } };
  }

  private async names(session: McpSession, prefix: string): Promise<string[]> {
    const { call, access } = session;
    if (access !== undefined)
      return access.collection.name.startsWith(prefix) ? [access.collection.name] : [];
    const membership = activeMembership(call.principal);
    if (membership === undefined || !mayReach(session, 'read') || prefix.length > MAX_PREFIX) return [];
    return this.collections.names(call, membership, prefix.replaceAll('\0', ''), MAX_VALUES + 1);
  }
}
