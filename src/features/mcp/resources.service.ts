import {
  type ListResourcesResult,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type Resource,
  ResourceNotFoundError,
} from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import { failureOf, loggedFailureOf } from '../../platform/http/failures.js';
import { CollectionAccess } from '../collections/collection-access.js';
import { type CollectionSummary, Discovery } from './discovery.service.js';
import { type McpSession, mayReach } from './tools/tool.js';
import { ResultBudget, taggedAsData } from './tools/tool-answer.js';

/** Collections per page of the list. Each collection has two resources. */
const PAGE = 50;

const URI = /^collection:\/\/([^/]+)\/(schema|sample)$/;

/** The resources of a collection: its schema as JSON, and sample records, which are marked as data. */
const PARTS = {
  schema: { title: 'schema', mimeType: 'application/json', description: 'Columns, indexes and settings.' },
  sample: { title: 'sample', mimeType: 'text/plain', description: 'Up to five records.' },
} as const;

type Part = keyof typeof PARTS;

export const RESOURCE_TEMPLATES = (Object.keys(PARTS) as Part[]).map(part => ({
  name: part,
  ...PARTS[part],
  title: `Collection ${part}`,
  uriTemplate: `collection://{id}/${part}`,
}));

/** Collections as resources: `collection://{id}/schema` and `collection://{id}/sample`. */
@Injectable()
export class Resources {
  constructor(
    private readonly accesses: CollectionAccess,
    private readonly discovery: Discovery,
    private readonly budget: ResultBudget,
  ) {}

  /** The cursor is a page number. */
  async list(session: McpSession, cursor: string | undefined): Promise<ListResourcesResult> {
    const page = Number(cursor ?? 1);
    if (!Number.isSafeInteger(page) || page < 1 || page > 1_000_000) {
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        'cursor: is not a cursor of this list. Send nextCursor of the last page.',
      );
    }
    if (!mayReach(session, 'read')) return { resources: [] };
    const query = { page, limit: PAGE, scope: 'all', with_counts: false } as const;
    const { items, total } = await this.discovery.list(session, query).catch(error => fail(error, session));
    const more = page * PAGE < total;
    return { resources: items.flatMap(resourcesOf), ...(more && { nextCursor: String(page + 1) }) };
  }

  /** Answers the same for a collection that does not exist and one that the caller cannot see. */
  async read(session: McpSession, uri: string): Promise<ReadResourceResult> {
    const { collection, part } = partOf(session, uri);
    const { caller } = session;
    try {
      const { principal } = session.call;
      const access =
        part === 'schema'
          ? await this.accesses.toMetadata(principal, collection)
          : await this.accesses.fresh(principal, collection, 'read');
      this.accesses.admit(access, session.call.ip);
      const text =
        part === 'schema'
          ? JSON.stringify(this.discovery.schema(access))
          : taggedAsData(
              JSON.stringify(await this.discovery.sample({ ...access, caller }, this.budget.list)),
            );
      return { contents: [{ uri, mimeType: PARTS[part].mimeType, text }] };
    } catch (error) {
      return refuse(error, uri, session);
    }
  }
}

/**
 * The collection and part of a URI. Throws for an unknown form, and for another collection than that of the endpoint.
 */
export function partOf(session: McpSession, uri: string): { collection: string; part: Part } {
  const [, collection = '', part] = URI.exec(uri) ?? [];
  const only = session.access?.collection.id ?? collection;
  if (part === undefined || only !== collection) throw new ResourceNotFoundError(uri);
  return { collection, part: part as Part };
}

function resourcesOf({ collection_id, name }: CollectionSummary): Resource[] {
  return (Object.keys(PARTS) as Part[]).map(part => ({
    uri: `collection://${collection_id}/${part}`,
    name: `${name} ${part}`,
    ...PARTS[part],
    title: `${name}: ${part}`,
  }));
}

/** Throws "unknown resource" for a collection that does not exist or that the caller cannot see; else see `fail`. */
export function refuse(error: unknown, uri: string, session: McpSession): never {
  if (error instanceof ResourceNotFoundError || failureOf(error, '').code === 'CollectionNotFound') {
    throw new ResourceNotFoundError(uri);
  }
  return fail(error, session);
}

/** Throws the error that REST would answer with as a protocol error. */
function fail(error: unknown, { call }: McpSession): never {
  const { code, message, status } = loggedFailureOf(error, call.correlationId);
  const kind = status < 500 ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError;
  throw new ProtocolError(kind, message, { error: code });
}
