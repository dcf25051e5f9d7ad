import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { ownTurn } from '../../base/kernel/bounds/own-turn.js';
import { DecidedRights, HOLDS_MS } from '../../base/kernel/decided-rights.js';
import { PlatformError } from '../../base/kernel/errors.js';
import {
  type AccessStep,
  AuthenticationStep,
  type Check,
  CollectionStep,
  OrganizationStep,
  RecheckStep,
  type Route,
  WorkspaceStep,
} from '../../platform/http/access/access-step.js';
import { ownerOf } from '../../platform/http/body/body-reader.js';
import type { PlatformRequest } from '../../platform/http/platform-request.js';
import type { Access } from '../collections/collection-access.js';
import type { WorkspaceAccess } from '../workspaces/workspace-access.js';
import { CredentialCache } from './credential-cache.js';
import { isSafeMethod } from './same-origin.js';

/**
 * Authenticates and authorizes a write again after its body has arrived, if that took long. A body may take minutes, and
 * rights that were withdrawn in the meantime must not be used. Nearly every body arrives with its request; then nothing
 * is checked again. Writes that wait for the database use `request.rights` for the same purpose.
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
      const isRead = isSafeMethod(request.method);
      if (isRead && performance.now() - request.startedAt <= HOLDS_MS) return undefined;
      const decide = async (exact: boolean) => {
        const before = rightsIn(request);
        // Removed from the cache, so that the credential is verified again.
        if (exact && request.principal !== undefined) this.cache.forget([request.principal.credentialId]);
        for (const check of checks) await check(request, response);
        // Other checks of this request, such as which rights the caller may grant, used the earlier rights.
        if (exact && !isDeepStrictEqual(rightsIn(request), before)) throw rightsChanged();
        return request.principal;
      };
      const rights = new DecidedRights(request.startedAt, decide, request.principal?.id);
      // A read has only waited for its place in memory.
      if (!isRead) request.rights = rights;
      return rights.areOld(performance.now()) ? renewed(rights, request) : undefined;
    };
  }
}

/**
 * Decides old rights again. Requests of one caller wait for the same look-up and go on in the same turn of the event loop.
 * Those with long bodies would block it together, so each waits for a turn of its own. If the rights are old again by
 * then, they are decided once more, nearly always from the cache and so within that turn.
 */
async function renewed(rights: DecidedRights, request: PlatformRequest): Promise<void> {
  await rights.renew();
  if (request.hasLongBody === undefined) return;
  await ownTurn(ownerOf(request));
  await rights.renewIfOld();
}

/** The rights of the caller on which the checks depend. */
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
