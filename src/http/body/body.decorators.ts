import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiConsumes, ApiResponse } from '@nestjs/swagger';
import { ErrorView } from '../error.view.js';
import { FORM_MEDIA_TYPE } from './form-body.js';

export const RECORDS_BODY = 'records-body';

/** Largest body of a route that takes no records. */
export const SMALL_BODY_BYTES = 64 * 1024;

/**
 * The route takes records, or lists of values to find them by: its body may be as large as BODY_LIMIT_BYTES. All
 * others take 64 kB.
 */
export function RecordsBody(): MethodDecorator & ClassDecorator {
  return SetMetadata(RECORDS_BODY, true);
}

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

export const FORM_BODY = 'form-body';

/** The route takes a form as well as JSON, as OAuth's endpoints do (RFC 6749, appendix B). */
export function FormBody(): MethodDecorator {
  return applyDecorators(SetMetadata(FORM_BODY, true), ApiConsumes('application/json', FORM_MEDIA_TYPE));
}
