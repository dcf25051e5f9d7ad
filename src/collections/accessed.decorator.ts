import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { PlatformRequest } from '../http/platform-request.js';
import type { Access } from './collection-access.js';

/** Parameter: the caller's access to the collection of the path, decided by the guard. */
export const Accessed = createParamDecorator(
  (_: unknown, context: ExecutionContext) =>
    context.switchToHttp().getRequest<PlatformRequest>().access as Access,
);
