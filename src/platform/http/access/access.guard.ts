import {
  type CanActivate,
  type ExecutionContext,
  Injectable,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { METHOD_METADATA } from '@nestjs/common/constants.js';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import type { Response } from 'express';
import { BodyStep } from '../body/body.step.js';
import type { PlatformRequest } from '../platform-request.js';
import { QueryStep } from '../query.step.js';
import { RateLimits } from '../rate-limit/rate-limit.step.js';
import {
  type AccessStep,
  AuthenticationStep,
  type Check,
  CollectionStep,
  IdempotencyStep,
  OrganizationStep,
  RecheckStep,
  Route,
  WorkspaceStep,
} from './access-step.js';
import { PlaceStep } from './place.step.js';

/**
 * The only guard, used for all routes. Its steps run in this order. At start each step creates its check for each
 * route, so that a request runs only the checks of its route and reads no metadata.
 */
@Injectable()
export class AccessGuard implements CanActivate, OnApplicationBootstrap {
  private readonly steps: readonly AccessStep[];
  // biome-ignore lint/plugin/bounded-maps: routes
  private readonly checks = new Map<unknown, readonly Check[]>();

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    authentication: AuthenticationStep,
    rateLimits: RateLimits,
    organization: OrganizationStep,
    collection: CollectionStep,
    workspace: WorkspaceStep,
    query: QueryStep,
    places: PlaceStep,
    body: BodyStep,
    recheck: RecheckStep,
    idempotency: IdempotencyStep,
  ) {
    // The order of refusals.
    this.steps = [
      authentication, // 401, 403
      rateLimits, // 429
      organization, // 403
      collection, // 404, 403
      workspace, // 404, 403
      query, // 400
      places, // 503
      body, // 413, 415, 408, 400
      recheck, // as the steps above
      idempotency, // 422, or the stored response
    ];
  }

  /** Throws when a route has no `@Requires`. */
  onApplicationBootstrap(): void {
    for (const { metatype } of this.discovery.getControllers()) {
      if (typeof metatype !== 'function') continue;
      for (const name of this.scanner.getAllMethodNames(metatype.prototype)) {
        const handler = metatype.prototype[name];
        if (!Reflect.hasMetadata(METHOD_METADATA, handler)) continue;
        const route = new Route(metatype, name);
        const checks = this.steps.map(step => step.checkFor(route));
        this.checks.set(
          handler,
          checks.filter(check => check !== undefined),
        );
      }
    }
  }

  /** Not async: a request whose checks are all synchronous creates no promise. */
  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const checks = this.checks.get(context.getHandler());
    if (checks === undefined) throw new Error('this route was added after the start');
    return runFrom(0, checks, context.getArgByIndex(0), context.getArgByIndex(1));
  }

  /**
   * Returns the error to send for a request that failed in a check or in its handler: usually the failure itself. The
   * steps run in reverse order, so that earlier steps can replace the errors of later ones. Never rejects.
   */
  async afterFailure(failure: unknown, request: PlatformRequest): Promise<unknown> {
    let outcome = failure;
    for (const step of this.steps.toReversed()) outcome = await step.afterFailure(outcome, request);
    return outcome;
  }
}

function runFrom(
  first: number,
  checks: readonly Check[],
  request: PlatformRequest,
  response: Response,
): true | Promise<true> {
  for (let index = first; index < checks.length; index++) {
    const waiting = (checks[index] as Check)(request, response);
    if (waiting !== undefined) return waiting.then(() => runFrom(index + 1, checks, request, response));
  }
  return true;
}
