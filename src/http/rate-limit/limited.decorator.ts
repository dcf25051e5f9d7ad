import { SetMetadata } from '@nestjs/common';
import type { CallerLimit, SourceLimit } from './limits.js';

export const LIMITED = 'limited';

/** Names the limit that counts the requests of a route; without it, routes of collections have the default one. */
export function Limited(limit: CallerLimit | SourceLimit): MethodDecorator {
  return SetMetadata(LIMITED, limit);
}
