import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { PlatformRequest } from '../http/platform-request.js';
import type { WorkspaceAccess } from './workspace-access.js';

/** Parameter: the caller's way into the workspace of the path. */
export const Entered = createParamDecorator(
  (_: unknown, context: ExecutionContext) =>
    context.switchToHttp().getRequest<PlatformRequest>().access as WorkspaceAccess,
);
