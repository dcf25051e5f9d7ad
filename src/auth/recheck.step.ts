import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { Access } from '../collections/collection-access.js';
import {
  type AccessStep,
  AuthenticationStep,
  type Check,
  CollectionStep,
  OrganizationStep,
  RecheckStep,
  type Route,
  WorkspaceStep,
} from '../http/access/access-step.js';
import type { PlatformRequest } from '../http/platform-request.js';
import { DecidedRights } from '../kernel/decided-rights.js';
import { PlatformError } from '../kernel/errors.js';
import type { WorkspaceAccess } from '../workspaces/workspace-access.js';
import { CredentialCache } from './credential-cache.js';
import { isSafeMethod } from './same-origin.js';

/**
 * Decides again, once the body is there, who calls and what the caller may do. A body may take minutes to come: what
 * was withdrawn meanwhile must not be used. Nearly every body comes with its request, and then nothing is asked again.
 * Writes that have to wait for the database do the same by `request.rights`.
 */
@Injectable()
export class RightsRecheck extends RecheckStep {
  private readonly steps: readonly AccessStep[];

  constructor(
    authentication: AuthenticationStep,
    organization: OrganizationStep,
    collection: CollectionStep,
    workspace: WorkspaceStep,
    private readonly cache: CredentialCache,
  ) {
    super();
    this.steps = [authentication, organization, collection, workspace];
  }

  checkFor(route: Route): Check {
    const checks = this.steps.map(step => step.checkFor(route)).filter(check => check !== undefined);
    return (request, response) => {
      if (isSafeMethod(request.method)) return undefined;
      const rights = new DecidedRights(request.startedAt, async exact => {
        const before = rightsIn(request);
        // As if the credential had just been changed: it is verified anew.
        if (exact && request.principal !== undefined) this.cache.forget([request.principal.credentialId]);
        for (const check of checks) await check(request, response);
        // What the caller may give to others was judged by the rights of before.
        if (exact && !isDeepStrictEqual(rightsIn(request), before)) throw rightsChanged();
        return request.principal;
      });
      request.rights = rights;
      return rights.areOld(performance.now()) ? rights.renew() : undefined;
    };
  }
}

/** What was decided from the caller's rights. */
function rightsIn({ principal, membership, access }: PlatformRequest): unknown[] {
  const { role, administers, workspace } = (access ?? {}) as Partial<Access & WorkspaceAccess>;
  const ofCredential = [principal?.narrowedTo, principal?.collectionId, principal?.workspace?.rules];
  return [membership, ...ofCredential, role, administers, workspace?.role, workspace?.rules];
}

function rightsChanged(): PlatformError {
  return new PlatformError(
    'Conflict',
    'Your rights changed while the request waited. Nothing was written. Send it again.',
  );
}
