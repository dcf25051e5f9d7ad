/** A write that its client may send again, by its `Idempotency-Key`: what its answer is kept under. */
export interface Retry {
  /** Whose schema keeps it: the organization that the write is in. */
  readonly orgId: string;
  /** Keys of different callers never meet. */
  readonly caller: string;
  readonly key: string;
  /** SHA-256 of method, path and body: the same key with another request is refused. */
  readonly request: Buffer;
  /** Status of the answer, unless the handler says otherwise. */
  readonly status: number;
  /** Encrypts an answer that shows a secret; only this caller with this key gets it back. */
  seal(answer: string): string;
}

/** Thrown instead of doing the work a second time: the answer that the first time got. */
export class Replay extends Error {
  constructor(
    readonly answerStatus: number,
    /** JSON. */
    readonly answerText: string,
  ) {
    super('answered before');
    this.name = 'Replay';
  }
}
