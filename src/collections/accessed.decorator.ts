import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import type { Response } from 'express';
import type { PlatformRequest } from '../http/platform-request.js';
import { ClientPresence } from '../http/platform-request.js';
import type { Access } from './collection-access.js';

/** Parameter: the caller's access to the collection of the path, decided by the guard. */
export const Accessed = createParamDecorator(
  (_: unknown, context: ExecutionContext) =>
    context.switchToHttp().getRequest<PlatformRequest>().access as Access,
);

/** Like `Accessed`, for a read that may take long: it is cancelled when its client disconnects. */
export const AccessedToRead = createParamDecorator((_: unknown, context: ExecutionContext): Access => {
  const http = context.switchToHttp();
  const access = http.getRequest<PlatformRequest>().access as Access;
  return { ...access, caller: new ClientPresence(http.getResponse<Response>()) };
});

/** Documents the collection in the path of a route. */
export function CollectionParam() {
  return ApiParam({
    name: 'collection_id',
    description:
      'The id of the collection, or its name. A name stands for a collection of the active organization: your own ' +
      'one, else the only other one of that name that you see; several others are 409 `AmbiguousName`.',
    examples: {
      name: { summary: 'By name', value: 'customers' },
      id: { summary: 'By id', value: '019a3c1e-7f00-7000-8000-000000000000' },
    },
  });
}
