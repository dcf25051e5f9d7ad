import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  UseInterceptors,
} from '@nestjs/common';
import { finalize, type Observable } from 'rxjs';
import { Admission } from '../database/admission.js';
import type { PlatformRequest } from '../http/platform-request.js';

/**
 * Admits writes of the platform's own data, by organization: they wait for locks on connections of the pool, such as that of
 * the organization's row. The body is there already, so a slow client keeps no place.
 */
@Injectable()
class WriteAdmission implements NestInterceptor {
  constructor(private readonly admission: Admission) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const { method, membership } = context.switchToHttp().getRequest<PlatformRequest>();
    if (method === 'GET' || method === 'HEAD' || membership === undefined) return next.handle();
    const { platform } = this.admission;
    const place = await platform.enter(membership.orgId, 'writes');
    return next.handle().pipe(finalize(() => platform.leave(place)));
  }
}

/** For controllers: writes of one organization leave connections to the others. */
export const AdmittedWrites = () => UseInterceptors(WriteAdmission);
