import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiConsumes, ApiResponse } from '@nestjs/swagger';
import { ErrorView } from './error.view.js';

export const STREAMED_BODY = 'streamed-body';
/** Instead of media types: the body is another service's, nothing about the request but its caller is judged here. */
export const FORWARDED = 'forwarded';

/**
 * The route reads its body itself, as it comes, in one of these media types, plain or as gzip. The body guard judges only
 * how the body is announced; how much of it there may be is the route's to say.
 */
export function StreamedBody(...mediaTypes: string[]): MethodDecorator {
  return applyDecorators(
    SetMetadata(STREAMED_BODY, mediaTypes),
    ApiConsumes(...mediaTypes),
    ApiResponse({
      status: 415,
      description: 'The body is announced as something that is not read here.',
      type: ErrorView,
    }),
  );
}
