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
      'Id or name of the collection. A name is looked up in the active organization: first among your own ' +
      'collections, then among the others that you can see. If several others have the name, the response is 409 `AmbiguousName`.',
    examples: {
      name: { summary: 'By name', value: 'customers' },
      id: { summary: 'By id', value: '019a3c1e-7f00-7000-8000-000000000000' },
    },
  });
}
