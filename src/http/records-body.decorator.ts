import { SetMetadata } from '@nestjs/common';

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
