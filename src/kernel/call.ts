import type { DecidedRights } from './decided-rights.js';
import { newId } from './id.js';
import type { Principal } from './principal.js';

/** A write that its client may send again, by its `Idempotency-Key`: what its answer is kept under. */
export interface Retry {
  /** Whose schema keeps it: the organization that the write is in. */
  readonly orgId: string;
  /** Keys of different callers never meet. */
  readonly caller: string;
  readonly key: string;
  /** What tells this request from others: the same key with another one is refused. */
  readonly digest: RequestDigest;
  /** Status of the answer, unless the handler says otherwise. */
  readonly status: number;
  /** Encrypts an answer that shows a secret; only this caller with this key gets it back. */
  seal(answer: string): string;
}

/** SHA-256 of method, URL and body. */
export interface RequestDigest {
  /** Undefined until all of the body has been read. */
  readonly value: Buffer | undefined;
  /** Passes the bytes of a body on that is read as it comes, and takes them in. */
  through(body: AsyncIterable<Buffer>): AsyncIterable<Buffer>;
}

/** Thrown instead of doing the work a second time: the answer that the first time got. */
export class Replay extends Error {
  constructor(
    readonly answerStatus: number,
    /** JSON, or of a streamed answer its last line. */
    readonly answerText: string,
  ) {
    super('answered before');
    this.name = 'Replay';
  }

  /** The JSON of one value never ends with a line feed, lines of JSON do. */
  get mediaType(): string {
    return this.answerText.endsWith('\n') ? 'application/x-ndjson' : 'application/json';
  }
}

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

const PLATFORM: Principal = {
  type: 'service-account',
  id: 'platform',
  credential: 'service-account',
  credentialId: 'platform',
  email: null,
  slug: 'platform',
  memberships: [],
  activeOrgSlug: undefined,
  sessionId: undefined,
  expiresAt: undefined,
  narrowedTo: undefined,
  collectionId: undefined,
  createdBy: undefined,
  firstParty: true,
  anonymous: false,
};

/** What the service does by itself, for its audit events: no request and no person stand behind it. */
export function platformCall(via: 'job' | 'cli'): Call {
  return { principal: PLATFORM, via, correlationId: newId(), ip: undefined };
}

/** The call of a person who is being created by it: there is no credential yet. */
export function firstCallOf(user: { readonly id: string }, request: Omit<Call, 'principal'>): Call {
  return { ...request, principal: { ...PLATFORM, type: 'user', id: user.id, slug: undefined } };
}
