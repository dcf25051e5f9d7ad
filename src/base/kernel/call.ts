import type { DecidedRights } from './decided-rights.js';
import { newId } from './id.js';
import type { Principal } from './principal.js';

/** A write with an `Idempotency-Key`: the key under which its response is stored. */
export interface Retry {
  /** The organization of the write, whose schema stores the response. */
  readonly orgId: string;
  /** Different callers can use the same key. */
  readonly caller: string;
  readonly key: string;
  /** Digest of the request. The same key with another digest is refused. */
  readonly digest: RequestDigest;
  /** Status of the response, unless the handler sets another one. */
  readonly status: number;
  /** Encrypts a response that contains a secret. Only the same caller with the same key gets it again. */
  encrypt(answer: string): string;
}

/**
 * Makes the JSON of a response from the result of a write. The arguments are the texts of two numbers and of a record id, or
 * placeholders of PostgreSQL's `format`.
 */
export type AnswerText = (came: { matched: string; updated: string; id: string }) => string;

/** What makes two requests the same: their method, URL and body. */
export interface RequestDigest {
  /** Undefined until all of the body has been read. */
  readonly value: Buffer | undefined;
  /** The value as hexadecimal digits. */
  readonly hex: string | undefined;
  /** True when a stored response with this digest is that of the same request. Rejects before the body has been read. */
  isOf(stored: Buffer): Promise<boolean>;
  /** Passes a streamed body on and adds its bytes to the digest. */
  through(body: AsyncIterable<Buffer>): AsyncIterable<Buffer>;
}

/** Thrown instead of repeating a write. Contains the stored response of the first one. */
export class Replay extends Error {
  constructor(
    readonly answerStatus: number,
    /** JSON text; for a streamed response its last line. */
    readonly answerText: string,
  ) {
    super('answered before');
    this.name = 'Replay';
  }

  /** NDJSON ends with a line feed, JSON does not. */
  get mediaType(): string {
    return this.answerText.endsWith('\n') ? 'application/x-ndjson' : 'application/json';
  }
}

/** The context of a request for services and audit events: the caller, the interface and the address. */
export interface Call {
  readonly principal: Principal;
  readonly via: 'rest' | 'mcp' | 'job' | 'cli';
  readonly correlationId: string;
  /** The client's IP address; undefined for jobs and commands. */
  readonly ip: string | undefined;
  /** Set for requests with an Idempotency-Key: the write stores its response in the same transaction. */
  readonly retry?: Retry | undefined;
  /** Set for requests that may write: a write that had to wait checks the rights again. */
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

/** The call of a job or command, which has no request and no user. */
export function platformCall(via: 'job' | 'cli'): Call {
  return { principal: PLATFORM, via, correlationId: newId(), ip: undefined };
}

/** The call of the platform itself in a request of somebody whom it does not know yet. */
export function callOfPlatform(request: Omit<Call, 'principal'>): Call {
  return { ...request, principal: PLATFORM };
}

/** The call of a user whom this request signs in, so that there is no credential yet. */
export function callOfUser(user: { readonly id: string }, request: Omit<Call, 'principal'>): Call {
  return { ...request, principal: { ...PLATFORM, type: 'user', id: user.id, slug: undefined } };
}

/** What audit events say about a call, so that another instance can finish its work in its name. */
export interface CallOrigin extends Pick<Call, 'via' | 'correlationId' | 'ip'> {
  readonly type: Principal['type'];
  readonly id: string;
  readonly actingUserId?: string | undefined;
}

export function callOrigin({
  principal: { type, id, actingUserId },
  via,
  correlationId,
  ip,
}: Call): CallOrigin {
  return { type, id, actingUserId, via, correlationId, ip };
}

/** A call without credentials and rights. */
export function callOf({ type, id, actingUserId, via, correlationId, ip }: CallOrigin): Call {
  return { principal: { ...PLATFORM, type, id, slug: undefined, actingUserId }, via, correlationId, ip };
}
