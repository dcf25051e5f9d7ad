import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  UseInterceptors,
} from '@nestjs/common';
import { finalize, type Observable } from 'rxjs';
import type { Share } from '../../base/kernel/bounds/admission/share.js';
import type { DecidedRights } from '../../base/kernel/decided-rights.js';
import { activeMembership } from '../../base/kernel/principal.js';
import { Admission } from '../../platform/database/admission/admission.js';
import type { PlatformRequest } from '../../platform/http/platform-request.js';

/**
 * Admits a write of the platform's own data. The caller's rights are checked again if the write waited for long; and once
 * more within its transaction, when that has to wait for locks (`AuditLog`). Rejects with 503, 401, 403 or 404.
 */
export async function admitWrite(
  { platform }: Admission,
  orgId: string,
  rights: DecidedRights | undefined,
): Promise<Share> {
  const share = await platform.enter(orgId, 'writes');
  if (rights === undefined) return share;
  try {
    await rights.renewIfOld();
  } catch (error) {
    platform.leave(share);
    throw error;
  }
  rights.isAdmitted = true;
  return share;
}

/**
 * Limits the concurrent writes of an organization to the platform's own data. Such writes hold connections of the pool
 * while they wait for locks, for example the lock of the organization's row. The body was read before, so that a slow
 * client does not take capacity.
 */
@Injectable()
class WriteAdmission implements NestInterceptor {
  constructor(private readonly admission: Admission) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<PlatformRequest>();
    const orgId = orgOf(request);
    if (request.method === 'GET' || request.method === 'HEAD' || orgId === undefined) return next.handle();
    const share = await admitWrite(this.admission, orgId, request.rights);
    return next.handle().pipe(finalize(() => this.admission.platform.leave(share)));
  }
}

/** The organization for which a write counts: that of the resource, or else the caller's. */
function orgOf({ membership, orgId, principal }: PlatformRequest): string | undefined {
  return membership?.orgId ?? orgId ?? (principal && activeMembership(principal)?.orgId);
}

/** For controllers: the writes of one organization cannot use up the connections of all others. */
export const AdmittedWrites = () => UseInterceptors(WriteAdmission);
