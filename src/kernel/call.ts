import type { DecidedRights } from './decided-rights.js';
import type { Principal } from './principal.js';
import type { Retry } from './retry.js';

/** One request as services and audit see it: who calls, through which face, from where. */
export interface Call {
  readonly principal: Principal;
  readonly via: 'rest' | 'mcp' | 'job' | 'cli';
  readonly correlationId: string;
  /** The client's address; undefined for what the service does by itself. */
  readonly ip: string | undefined;
  /** Set when the client may send the request again: then its answer is kept in the write's own transaction. */
  readonly retry?: Retry | undefined;
  /** Set for requests that may write: a write that had to wait decides them again. */
  readonly rights?: DecidedRights | undefined;
}
