import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import type { Response } from 'express';
import type { Principal } from '../../../base/kernel/principal.js';
import type { PlatformRequest } from '../platform-request.js';
import { REQUIREMENT, type Requirement } from '../requires.decorator.js';
import { type DtoClass, dtoOf } from '../validation.pipe.js';

/** The handler of a route and the metadata of its decorators. It is read once, at start. */
export class Route {
  readonly requirement: Requirement;

  /** The class of the query, and of the body: undefined when the route takes none, or validates it itself. */
  readonly query: DtoClass | undefined;
  readonly body: DtoClass | undefined;
  private readonly handler: object;

  /** `name`: the method of the controller that handles the route. */
  constructor(
    private readonly controller: { readonly name: string; readonly prototype: Record<string, object> },
    name: string,
  ) {
    this.handler = controller.prototype[name] as object;
    const requirement = this.metadata<Requirement>(REQUIREMENT);
    if (requirement === undefined)
      throw new Error(`${controller.name}.${name} does not say what it @Requires`);
    this.requirement = requirement;
    this.query = this.typeOf(RouteParamtypes.QUERY, name);
    this.body = this.typeOf(RouteParamtypes.BODY, name);
  }

  private typeOf(kind: RouteParamtypes, name: string): DtoClass | undefined {
    const parameters = Reflect.getMetadata(ROUTE_ARGS_METADATA, this.controller, name) ?? {};
    const types = Reflect.getMetadata('design:paramtypes', this.controller.prototype, name) ?? [];
    const found = Object.keys(parameters).find(each => each.startsWith(`${kind}:`));
    return found === undefined ? undefined : dtoOf(types[parameters[found].index]);
  }

  /** The metadata of the method, else of its class. */
  metadata<T>(key: string): T | undefined {
    return Reflect.getMetadata(key, this.handler) ?? Reflect.getMetadata(key, this.controller);
  }
}

/** One check of a request. Throws the refusal. Returns a promise only when it has to wait. */
export type Check = (request: PlatformRequest, response: Response) => Promise<unknown> | undefined;

/** A step of `AccessGuard`. */
export abstract class AccessStep {
  /** The check of this step for a route, made once at start; undefined when the route does not need one. */
  abstract checkFor(route: Route): Check | undefined;

  /** Returns the error to send for a failed request: the failure itself, or one that replaces it. Never rejects. */
  async afterFailure(failure: unknown, _request: PlatformRequest): Promise<unknown> {
    return failure;
  }
}

// Injection tokens of the steps that features provide. Their modules bind each token to a class, and Nest checks this
// at start.

/** Sets `request.principal`. Refuses with 401, or with 403 for a kind of credential that the route does not accept. */
export abstract class AuthenticationStep extends AccessStep {
  /** Authenticates a long-running request again. Rejects with 401 when its credential is no longer valid. */
  abstract again(request: PlatformRequest): Promise<Principal>;
}

/** Sets `request.membership` on routes of an organization. Refuses with 403. */
export abstract class OrganizationStep extends AccessStep {}

/** Sets `request.access` on routes of a collection. Refuses with 404, then 403. */
export abstract class CollectionStep extends AccessStep {}

/** Sets `request.access` on routes of a workspace. Refuses with 404, then 403. */
export abstract class WorkspaceStep extends AccessStep {}

/** Sets `request.rights`. Repeats the steps above when the body took long to arrive. */
export abstract class RecheckStep extends AccessStep {}

/** Sets `request.retry` when the client sent an `Idempotency-Key`. Throws the stored response of an equal request. */
export abstract class IdempotencyStep extends AccessStep {}
