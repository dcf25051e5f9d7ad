import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiConsumes, ApiResponse } from '@nestjs/swagger';
import { ErrorView } from '../requires.decorator.js';
import { FORM_MEDIA_TYPE } from './form-body.js';

export const RECORDS_BODY = 'records-body';

/** Maximum body of routes that take no records. */
export const SMALL_BODY_BYTES = 64 * 1024;

/**
 * Allows bodies of up to BODY_LIMIT_BYTES, for records or lists of values to find them by. Other routes allow 64 KiB.
 */
export function RecordsBody(): MethodDecorator & ClassDecorator {
  return SetMetadata(RECORDS_BODY, true);
}

export const STREAMED_BODY = 'streamed-body';
/** Replaces the media types on routes of the gateway: another service validates the body. */
export const FORWARDED = 'forwarded';

/**
 * The route reads its body itself as a stream, in one of these media types, plain or as gzip. The body step checks only
 * the headers; the route must limit the size.
 */
export function StreamedBody(...mediaTypes: string[]): MethodDecorator {
  return applyDecorators(
    SetMetadata(STREAMED_BODY, mediaTypes),
    ApiConsumes(...mediaTypes),
    ApiResponse({
      status: 415,
      description: 'The service does not support the media type or content encoding of the body.',
      type: ErrorView,
    }),
  );
}

export const FORM_BODY = 'form-body';

/** The route takes a form as well as JSON with the same fields. */
export function FormBody(): MethodDecorator {
  return applyDecorators(SetMetadata(FORM_BODY, true), ApiConsumes('application/json', FORM_MEDIA_TYPE));
}

export const OAUTH_BODY = 'oauth-body';

/**
 * As `FormBody`, for OAuth's endpoints (RFC 6749, appendix B). They must ignore parameters that they do not know (3.2),
 * those of the query string too.
 */
export function OAuthBody(): MethodDecorator {
  return applyDecorators(FormBody(), SetMetadata(OAUTH_BODY, true));
}
