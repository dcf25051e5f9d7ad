import { APIConnectionError, APIError, APIUserAbortError, OpenAIError } from 'openai';
import { OutboundError } from '../../outbound/guarded-connect.js';
import { ForeignReply, UnusableReply } from './model-reply.js';

const FIRST_WAIT_MS = 250;
/** The endpoint will not serve a request for what it says, for example its length or its subject. */
const ABOUT_REQUEST = new Set([400, 413, 422]);
const WORTH_A_RETRY = new Set([408, 409, 429]);

/** True for what an endpoint or the way to it fails in. JSON that breaks off is a SyntaxError of the client's. */
export function isFault(error: unknown): error is Error {
  return (
    error instanceof OpenAIError ||
    error instanceof SyntaxError ||
    error instanceof ForeignReply ||
    error instanceof UnusableReply
  );
}

/** True where another request may well be answered. */
export function isAboutRequest(fault: Error): boolean {
  return fault instanceof UnusableReply || ABOUT_REQUEST.has(statusOf(fault) ?? 0);
}

/** Refused, or never arrived. Whatever was given up on half-way may have to be paid. */
export function isUnbilled(error: unknown): boolean {
  const reason = outboundReason(error);
  return reason === 'unreachable' || reason === 'refused' || statusOf(error) !== undefined;
}

/** Milliseconds to wait before the next attempt; undefined where another one is of no use. */
export function waitAfter(fault: Error, attempt: number): number | undefined {
  const backoff = FIRST_WAIT_MS * 2 ** attempt;
  if (fault instanceof APIConnectionError) {
    return (outboundReason(fault) ?? 'unreachable') === 'unreachable' ? backoff : undefined;
  }
  if (!(fault instanceof OpenAIError)) return 0;
  const status = statusOf(fault);
  if (status === undefined || (status < 500 && !WORTH_A_RETRY.has(status))) return undefined;
  const asked = Number((fault as APIError).headers?.get('retry-after') ?? Number.NaN);
  return asked >= 0 ? asked * 1000 : backoff;
}

/** What may be written to the log: nothing that the other side has said. */
export function reasonOf(fault: Error): string {
  if (fault instanceof APIUserAbortError) return 'no answer in time';
  if (fault instanceof APIConnectionError) {
    return fault.cause instanceof OutboundError ? fault.cause.message : 'no connection';
  }
  const status = statusOf(fault);
  if (status !== undefined) return `status ${status}`;
  return fault instanceof SyntaxError ? 'JSON that breaks off' : fault.message;
}

function statusOf(error: unknown): number | undefined {
  return error instanceof APIError ? error.status : undefined;
}

function outboundReason(error: unknown): string | undefined {
  return error instanceof APIConnectionError && error.cause instanceof OutboundError
    ? error.cause.reason
    : undefined;
}
