import { Injectable } from '@nestjs/common';
import { type Access, CollectionAccess, hasRight } from '../collections/collection-access.js';
import { TextField } from '../http/field.decorators.js';
import type { Call } from '../kernel/call.js';
import { COLLECTION_RIGHTS, type CollectionRight } from '../kernel/collection-right.js';
import { invalid, PlatformError } from '../kernel/errors.js';
import type { Permission } from '../kernel/permission.js';
import { activeMembership, holds, type Membership } from '../kernel/principal.js';
import { everyCollectionMembership, reachesEveryCollection } from '../orgs/org.guard.js';
import type { Documented } from './json-schema.js';
import type { McpSession } from './mcp-session.js';
import type { ToolAnswer } from './tool-answer.js';

/** How a tool presents itself to a model. */
export interface ToolFace {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly readOnly?: true;
  /** It may change or remove what is there. */
  readonly destructive?: true;
  /** Doing it twice comes to the same as doing it once. */
  readonly idempotent?: true;
}

/** An operation for models. Its arguments are a class that is checked as bodies of REST are. */
export abstract class McpTool<Arguments extends object = object> {
  abstract readonly face: ToolFace;
  abstract readonly arguments: Documented<Arguments>;
  abstract readonly answer: Documented;
  /** It is there on the endpoint of one collection too. */
  abstract readonly ofCollection: boolean;
  /** True when the caller's credential may do this somewhere. */
  abstract isOpenTo(session: McpSession): boolean;
  /** Judges the caller's rights, which come before the arguments: they may be anything yet. Throws 403 and 404. */
  abstract open(session: McpSession, sent: object): Promise<ToolRun<Arguments>>;
}

/** Runs an opened tool with arguments that were checked. */
export type ToolRun<Arguments> = (args: Arguments) => Promise<ToolAnswer>;

const COLLECTION_ID = { max: 100, description: 'Id or name of the collection; data_discover lists them.' };

/** The argument that every tool about one collection has, except on the endpoint of the collection itself. */
export class CollectionArguments {
  @TextField(COLLECTION_ID)
  collection_id: string;
}

/** The same for classes that mirror a body of REST. */
export function CollectionIdField(optional = false): PropertyDecorator {
  return TextField({ ...COLLECTION_ID, optional });
}

/** A tool about one collection, for those who have the right there. */
@Injectable()
export abstract class CollectionTool<Arguments extends CollectionArguments> extends McpTool<Arguments> {
  abstract readonly right: CollectionRight;
  readonly ofCollection = true;

  constructor(private readonly accesses: CollectionAccess) {
    super();
  }

  isOpenTo(session: McpSession): boolean {
    return mayReach(session, this.right);
  }

  /** No tool acts on remembered metadata: the access is decided from the row as it is now. */
  async open(session: McpSession, sent: { collection_id?: unknown }): Promise<ToolRun<Arguments>> {
    const { call, caller } = session;
    if (typeof sent.collection_id !== 'string') {
      if (this.isOpenTo(session))
        throw invalid('collection_id: is required: the id or the name of a collection');
      throw new PlatformError(
        'Forbidden',
        `This needs the permission ${COLLECTION_RIGHTS[this.right].permission}.`,
      );
    }
    const access = await this.accesses.fresh(call.principal, sent.collection_id, this.right);
    return args => this.act(call, { ...access, caller }, args);
  }

  protected abstract act(call: Call, access: Access, args: Arguments): Promise<ToolAnswer>;
}

/** A tool about the active organization, for those who hold the permission in it. */
export abstract class OrgTool<Arguments extends object> extends McpTool<Arguments> {
  abstract readonly permission: Permission;
  readonly ofCollection = false;

  isOpenTo({ call: { principal } }: McpSession): boolean {
    const membership = principal.collectionId === undefined ? activeMembership(principal) : undefined;
    return (
      membership !== undefined &&
      holds(principal, membership, this.permission) &&
      reachesEveryCollection(membership)
    );
  }

  async open({ call }: McpSession): Promise<ToolRun<Arguments>> {
    const membership = everyCollectionMembership(call.principal, this.permission);
    return args => this.act(call, membership, args);
  }

  protected abstract act(call: Call, membership: Membership, args: Arguments): Promise<ToolAnswer>;
}

/** True when the caller may have the right: on the endpoint's collection, else on any. */
export function mayReach({ call: { principal }, access }: McpSession, right: CollectionRight): boolean {
  if (access !== undefined) return hasRight(access, right);
  const { permission } = COLLECTION_RIGHTS[right];
  return principal.memberships.some(membership => holds(principal, membership, permission));
}
