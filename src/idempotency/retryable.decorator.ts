import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiHeader, ApiResponse } from '@nestjs/swagger';
import { ErrorView } from '../http/requires.decorator.js';

export const RETRYABLE = 'retryable';

/**
 * Marks a write that clients may retry with the same `Idempotency-Key`. The service of the write must claim the key and
 * store the response in the write's own transaction; otherwise the key has no effect.
 */
export function Retryable(): MethodDecorator {
  return applyDecorators(
    SetMetadata(RETRYABLE, true),
    ApiHeader({
      name: 'Idempotency-Key',
      required: false,
      description:
        'Names this request, for example by a random UUID. Sent again within 24 hours, the same request gets the first ' +
        'answer, with `Idempotency-Replayed: true`, and writes nothing. Refusals are not kept.',
      schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
    }),
    ApiResponse({
      status: 409,
      description: 'The present state forbids it, or an equal request is still under way.',
      type: ErrorView,
    }),
    ApiResponse({
      status: 422,
      description: 'The records do not fit, or the Idempotency-Key was sent with another request.',
      type: ErrorView,
    }),
  );
}
