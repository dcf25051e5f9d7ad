import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader, ApiResponse } from '@nestjs/swagger';
import { allowedTags } from './entity-tags.js';
import { ErrorView } from './error.view.js';
import type { PlatformRequest } from './platform-request.js';

const TAG = { schema: { type: 'string' as const }, description: 'Changes with every change.' };

/** Parameter: the entity tags one of which must still hold when the write is done; undefined: any. */
export const IfMatch = createParamDecorator((_: unknown, context: ExecutionContext) =>
  allowedTags(context.switchToHttp().getRequest<PlatformRequest>().headers['if-match']),
);

/** Documents a route that answers with an `ETag`, and with 304 where the client knows it. */
export function Tagged(): MethodDecorator {
  return applyDecorators(
    ApiHeader({
      name: 'If-None-Match',
      required: false,
      description: '`ETag` of what the client has: then the answer is 304 unless it has changed.',
      schema: { type: 'string' },
    }),
    ApiResponse({ status: 304, description: 'What the client has is current.', headers: { ETag: TAG } }),
  );
}

/** Documents a write with an `@IfMatch()`. */
export function Guarded(): MethodDecorator {
  return applyDecorators(
    ApiHeader({
      name: 'If-Match',
      required: false,
      description: '`ETag` of what the client has seen: then the write is done only if that is still so.',
      schema: { type: 'string' },
    }),
    ApiResponse({
      status: 412,
      description: 'It was changed since the client read it; nothing was written.',
      type: ErrorView,
    }),
  );
}
