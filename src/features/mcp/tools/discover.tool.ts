import { Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { ChoiceField } from '../../../platform/http/field.decorators.js';
import { type Access, CollectionAccess } from '../../collections/collection-access.js';
import { ListCollectionsQuery } from '../../collections/collections.dto.js';
import { Discovery } from '../discovery.service.js';
import {
  CollectionIdField,
  type McpSession,
  type McpTool,
  mayReach,
  type ToolInfo,
  type ToolRun,
} from './tool.js';
import { beginningOf, ResultBudget, type ToolAnswer } from './tool-answer.js';

class DiscoverArguments extends ListCollectionsQuery {
  @CollectionIdField(true)
  collection_id?: string;

  @ChoiceField(['owned', 'shared', 'all'], {
    optional: true,
    default: 'all',
    description: 'Which of the collections the caller can see.',
  })
  override scope: 'owned' | 'shared' | 'all' = 'all';
}

class DiscoverAnswer {
  @ApiProperty({
    required: false,
    type: 'array',
    items: { type: 'object', additionalProperties: true },
    description: 'Without collection_id: the collections within reach.',
  })
  collections?: object[];

  @ApiProperty({ type: 'integer', required: false, description: 'How many collections there are in all.' })
  total?: number;

  @ApiProperty({
    selfRequired: false,
    type: 'object',
    additionalProperties: true,
    description:
      'With collection_id: name, description, schema (column to type), indexes, uniques, settings.',
  })
  collection?: object;

  @ApiProperty({ type: 'integer', required: false, nullable: true, description: 'Records in it.' })
  row_count?: number | null;

  @ApiProperty({ required: false, type: 'array', items: { type: 'object', additionalProperties: true } })
  samples?: object[];

  @ApiProperty({ required: false, type: [String], description: 'Samples of which only the ids are shown.' })
  too_large?: string[];

  @ApiProperty({ description: 'There are more: ask for the next page.' })
  truncated: boolean;
}

@Injectable()
export class DataDiscoverTool implements McpTool<DiscoverArguments> {
  readonly info: ToolInfo = {
    name: 'data_discover',
    title: 'Discover collections',
    description:
      'Call this first. Without collection_id: the collections you can reach. With collection_id: its columns and ' +
      'their types, indexes, how many records it has, and five of them. Records may have fields that are no column.',
    readOnly: true,
    idempotent: true,
  };
  readonly arguments = DiscoverArguments;
  readonly answer = DiscoverAnswer;
  readonly ofCollection = true;

  constructor(
    private readonly accesses: CollectionAccess,
    private readonly discovery: Discovery,
    private readonly budget: ResultBudget,
  ) {}

  isOfferedTo(session: McpSession): boolean {
    return mayReach(session, 'read');
  }

  async open(
    session: McpSession,
    { collection_id }: { collection_id?: unknown },
  ): Promise<ToolRun<DiscoverArguments>> {
    if (typeof collection_id !== 'string') return async checked => this.list(session, checked());
    const access = await this.accesses.fresh(session.call.principal, collection_id, 'read');
    this.accesses.admit(access, session.call.ip);
    return async checked => {
      checked();
      return this.look({ ...access, caller: session.caller });
    };
  }

  private async list(session: McpSession, args: DiscoverArguments): Promise<ToolAnswer> {
    const { items, total } = await this.discovery.list(session, args);
    const collections = beginningOf(items, this.budget.list);
    const truncated = (args.page - 1) * args.limit + collections.length < total;
    const short =
      collections.length < items.length ? ' The page was too long: ask with a smaller limit.' : '';
    return {
      summary: `${collections.length} of ${total} collections, page ${args.page}.${short}`,
      data: { collections, total, truncated },
    };
  }

  private async look(access: Access): Promise<ToolAnswer> {
    const collection = this.discovery.schema(access);
    const room = Math.max(this.budget.list - Buffer.byteLength(JSON.stringify(collection)), 0);
    const [row_count, { records, too_large }] = await Promise.all([
      this.discovery.rowCount(access),
      this.discovery.sample(access, room),
    ]);
    return {
      summary: `The collection has ${row_count ?? 'very many'} records; ${records.length} of them are samples.`,
      data: { collection, row_count, samples: records, ...(too_large && { too_large }), truncated: false },
    };
  }
}
