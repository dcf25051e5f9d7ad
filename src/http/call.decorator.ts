import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Membership } from '../kernel/principal.js';
import { callOf, type PlatformRequest } from './platform-request.js';

/** Parameter: the `Call` (who, from where) of an authenticated route. */
export const Calling = createParamDecorator((_: unknown, context: ExecutionContext) =>
  callOf(context.switchToHttp().getRequest<PlatformRequest>()),
);

/** Parameter: the caller's membership in the organization of the route. */
export const CallerMembership = createParamDecorator((_: unknown, context: ExecutionContext): Membership => {
  const { membership } = context.switchToHttp().getRequest<PlatformRequest>();
  if (membership === undefined) throw new Error('this route requires no organization');
  return membership;
});
