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
        'A unique name for this request, for example a random UUID. If the same request is sent again within 24 hours, it ' +
        'writes nothing and gets the stored response, with `Idempotency-Replayed: true`. Error responses are not stored.',
      schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
    }),
    ApiResponse({
      status: 409,
      description:
        'The current state does not allow it, or a request with the same Idempotency-Key is still running.',
      type: ErrorView,
    }),
    ApiResponse({
      status: 422,
      description: 'The records do not fit the schema, or the Idempotency-Key was used for another request.',
      type: ErrorView,
    }),
  );
}
