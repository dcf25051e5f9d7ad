import { isDeepStrictEqual } from 'node:util';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { CollectionAccessGuard } from '../collections/collection-access.guard.js';
import type { Access } from '../collections/collection-access.js';
import type { PlatformRequest } from '../http/platform-request.js';
import { DecidedRights } from '../kernel/decided-rights.js';
import { PlatformError } from '../kernel/errors.js';
import type { Principal } from '../kernel/principal.js';
import { OrgGuard } from '../orgs/org.guard.js';
import { WorkspaceAccessGuard } from '../workspaces/workspace-access.guard.js';
import type { WorkspaceAccess } from '../workspaces/workspace-access.js';
import { AuthenticationGuard } from './authentication.guard.js';
import { CredentialCache } from './credential-cache.js';
import { isSafeMethod } from './same-origin.js';

/**
 * Decides again, once the body is there, who calls and what the caller may do. A body may take minutes to come: what
 * was withdrawn meanwhile must not be used. Nearly every body comes with its request, and then nothing is asked again.
 * Writes that have to wait for the database do the same by `request.rights`.
 */
@Injectable()
export class RecheckGuard implements CanActivate {
  private readonly guards: readonly CanActivate[];

  constructor(
    authentication: AuthenticationGuard,
    org: OrgGuard,
    collection: CollectionAccessGuard,
    workspace: WorkspaceAccessGuard,
    private readonly cache: CredentialCache,
  ) {
    this.guards = [authentication, org, collection, workspace];
  }

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = context.switchToHttp().getRequest<PlatformRequest>();
    if (isSafeMethod(request.method)) return true;
    const rights = new DecidedRights(request.startedAt, exact => this.decideAgain(context, request, exact));
    request.rights = rights;
    return rights.areOld(performance.now()) ? rights.renew().then(() => true) : true;
  }

  private async decideAgain(
    context: ExecutionContext,
    request: PlatformRequest,
    exact: boolean,
  ): Promise<Principal | undefined> {
    const before = rightsIn(request);
    // As if the credential had just been changed: it is verified anew.
    if (exact && request.principal !== undefined) this.cache.forget([request.principal.credentialId]);
    for (const guard of this.guards) await guard.canActivate(context);
    // What the caller may give to others was judged by the rights of before.
    if (exact && !isDeepStrictEqual(rightsIn(request), before)) throw rightsChanged();
    return request.principal;
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
