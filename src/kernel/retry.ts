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
