import { Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import type { Presence } from '../../../base/kernel/bounds/deadline.js';
import type { Call } from '../../../base/kernel/call.js';
import { invalid, PlatformError } from '../../../base/kernel/errors.js';
import { COLLECTION_RIGHTS, type CollectionRight, type Permission } from '../../../base/kernel/permission.js';
import { activeMembership, holds, type Membership, type Principal } from '../../../base/kernel/principal.js';
import { JsonField, TextField } from '../../../platform/http/field.decorators.js';
import { type Access, CollectionAccess, isName } from '../../collections/collection-access.js';
import { hasRight } from '../../collections/collection-rights.js';
import { everyCollectionMembership, reachesEveryCollection } from '../../orgs/organization.step.js';
import type { Documented } from '../protocol/json-schema.js';
import type { ToolAnswer } from './tool-answer.js';

/** The caller of one message. `access` is set on the endpoint of one collection. */
export interface McpSession {
  readonly call: Call;
  readonly access: Access | undefined;
  /** Ends reads when the client disconnects. */
  readonly caller: Presence;
}

/** The name, description and hints that a model sees. */
export interface ToolInfo {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly readOnly?: true;
  /** True when it can change or delete existing data. */
  readonly destructive?: true;
  /** True when a second call with the same arguments changes nothing. */
  readonly idempotent?: true;
}

/** An operation for models. Its arguments are a class with the same validation as a body of REST. */
export abstract class McpTool<Arguments extends object = object> {
  abstract readonly info: ToolInfo;
  abstract readonly arguments: Documented<Arguments>;
  abstract readonly answer: Documented;
  /** True when the endpoint of one collection has the tool too. */
  abstract readonly ofCollection: boolean;
  /** True when the caller's credential allows this on some collection. */
  abstract isOfferedTo(session: McpSession): boolean;
  /** Checks the caller's rights, before the arguments are validated. Throws 403 and 404. */
  abstract open(session: McpSession, sent: object): Promise<ToolRun<Arguments>>;
}

/** Runs a tool, after the rights were checked. `checked` returns the validated arguments, or throws 400. */
export type ToolRun<Arguments> = (checked: () => Arguments) => Promise<ToolAnswer>;

const COLLECTION_ID = { max: 100, description: 'Id or name of the collection; data_discover lists them.' };

/** The argument that names the collection. Tools on the endpoint of one collection do not have it. */
export class CollectionArguments {
  @TextField(COLLECTION_ID)
  collection_id: string;
}

/** Adds the argument to classes that extend a body of REST. */
export function CollectionIdField(optional = false): PropertyDecorator {
  return TextField({ ...COLLECTION_ID, optional });
}

/** A tool that needs a right on one collection. */
@Injectable()
export abstract class CollectionTool<Arguments extends CollectionArguments> extends McpTool<Arguments> {
  abstract readonly right: CollectionRight;
  /** True for a tool that uses the collection only in statements with a version check. Then it may come from the cache. */
  abstract readonly versionCheck: boolean;
  readonly ofCollection = true;

  constructor(private readonly accesses: CollectionAccess) {
    super();
  }

  isOfferedTo(session: McpSession): boolean {
    return mayReach(session, this.right);
  }

  async open(session: McpSession, sent: { collection_id?: unknown }): Promise<ToolRun<Arguments>> {
    const { call, caller } = session;
    if (typeof sent.collection_id !== 'string') {
      if (this.isOfferedTo(session))
        throw invalid('collection_id: is required. Send the id or the name of a collection.');
      throw new PlatformError(
        'Forbidden',
        `This needs the permission ${COLLECTION_RIGHTS[this.right].permission}.`,
      );
    }
    const access = await this.accessTo(call.principal, sent.collection_id);
    this.accesses.admit(access, call.ip);
    return async checked => {
      try {
        return await this.act(call, { ...access, caller }, checked());
      } catch (failure) {
        throw this.versionCheck ? await this.accesses.afterFailure(failure, access) : failure;
      }
    };
  }

  private accessTo(principal: Principal, reference: string): Access | Promise<Access> {
    return this.versionCheck && !isName(reference)
      ? this.accesses.known(principal, reference, this.right)
      : this.accesses.fresh(principal, reference, this.right);
  }

  protected abstract act(call: Call, access: Access, args: Arguments): Promise<ToolAnswer>;
}

/** A tool that needs a permission in the active organization. */
export abstract class OrgTool<Arguments extends object> extends McpTool<Arguments> {
  abstract readonly permission: Permission;
  readonly ofCollection = false;

  isOfferedTo({ call: { principal } }: McpSession): boolean {
    const membership = principal.collectionId === undefined ? activeMembership(principal) : undefined;
    return (
      membership !== undefined &&
      holds(principal, membership, this.permission) &&
      reachesEveryCollection(membership)
    );
  }

  async open({ call, caller }: McpSession): Promise<ToolRun<Arguments>> {
    const membership = everyCollectionMembership(call.principal, this.permission);
    return async checked => this.act(call, membership, checked(), caller);
  }

  protected abstract act(
    call: Call,
    membership: Membership,
    args: Arguments,
    caller: Presence,
  ): Promise<ToolAnswer>;
}

/** True when the caller has the right on the collection of the endpoint, or may have it on some collection. */
export function mayReach({ call: { principal }, access }: McpSession, right: CollectionRight): boolean {
  if (access !== undefined) return hasRight(access, right);
  const { permission } = COLLECTION_RIGHTS[right];
  return principal.memberships.some(membership => holds(principal, membership, permission));
}

/** The filter as an object. REST has it as text in the query string. */
export function FilterField(): PropertyDecorator {
  return JsonField({ optional: true, description: 'MongoDB-style filter.', example: { age: { $gte: 18 } } });
}

export function RecordIdField(options: { optional?: boolean; description?: string } = {}): PropertyDecorator {
  return TextField({ max: 100, description: 'The `_id` of the record.', ...options });
}

/** Hints are only in answers without data. */
export function HintsField(): PropertyDecorator {
  return ApiProperty({
    type: [String],
    required: false,
    description:
      'Why nothing may have matched: fields that no record has, values of another type than the column.',
  });
}
