import type { Access } from '../collections/collection-access.js';
import type { Call } from '../kernel/call.js';

/** One message's caller; `access` when it came to the endpoint of one collection. */
export interface McpSession {
  readonly call: Call;
  readonly access: Access | undefined;
}
