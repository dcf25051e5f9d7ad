import type { Access } from '../collections/collection-access.js';
import type { Call } from '../kernel/call.js';
import type { Presence } from '../kernel/presence.js';

/** One message's caller; `access` when it came to the endpoint of one collection. */
export interface McpSession {
  readonly call: Call;
  readonly access: Access | undefined;
  /** Reads end when the client has gone. */
  readonly caller: Presence;
}
