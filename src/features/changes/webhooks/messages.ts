import { createHmac, randomBytes } from 'node:crypto';

export interface Message {
  readonly payload: string;
  readonly changes: number;
}

/** The parts that all messages of a webhook have in common. */
interface MessageHead {
  readonly webhookId: string;
  readonly collectionId: string;
  readonly now: Date;
}

/** Limits of one message. A single longer change is sent alone. */
const MAX_CHANGES = 100;
const MAX_LENGTH = 256 * 1024;

/** Packs changes, given as JSON texts, into as few messages as possible. */
export function changeMessages(head: MessageHead, changes: readonly string[]): Message[] {
  const messages: Message[] = [];
  for (let from = 0; from < changes.length; ) {
    const some = changes.slice(from, from + countFitting(changes, from));
    messages.push({
      payload: payload('collection.changed', head, `,"changes":[${some.join(',')}]`),
      changes: some.length,
    });
    from += some.length;
  }
  return messages;
}

/** Reports that changes were lost, so that the receiver has to read the collection again. */
export function missedMessage(head: MessageHead): Message {
  return { payload: payload('collection.changes_missed', head), changes: 0 };
}

/** A message without changes that tests the connection. */
export function testMessage(head: MessageHead): Message {
  return { payload: payload('webhook.test', head), changes: 0 };
}

function payload(type: string, { webhookId, collectionId, now }: MessageHead, more = ''): string {
  return `{"type":"${type}","timestamp":"${now.toISOString()}","data":{"webhook_id":"${webhookId}","collection_id":"${collectionId}"${more}}}`;
}

function countFitting(changes: readonly string[], from: number): number {
  let length = 0;
  for (let count = 0; count < MAX_CHANGES && from + count < changes.length; count++) {
    length += (changes[from + count] as string).length;
    if (length > MAX_LENGTH && count > 0) return count;
  }
  return Math.min(MAX_CHANGES, changes.length - from);
}

const PREFIX = 'whsec_';

/** A new secret (Standard Webhooks: `whsec_` and the base64 of 24 to 64 random bytes). */
export function newWebhookSecret(): string {
  return PREFIX + randomBytes(32).toString('base64');
}

/** The headers of a message, signed by each of the secrets. Source: Standard Webhooks, "Signature scheme". */
export function signedHeaders(
  id: string,
  timestamp: number,
  body: string,
  secrets: readonly string[],
): Record<string, string> {
  const signatures = secrets.map(secret => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  };
}

/** After this number of failed attempts, about a day and a half, a message is dead. */
export const MAX_ATTEMPTS = 10;

const FIRST_SECONDS = 5;
const LONGEST_SECONDS = 12 * 3_600;
/** Random part of a delay, so that messages that failed together are not retried together. */
const SPREAD = 0.2;

/**
 * Seconds to wait after the attempt with this number, from 1: 5 s, four times as long after each further attempt, at
 * most 12 hours, plus or minus a fifth.
 *
 * @param chance from 0 to 1
 */
export function retryDelay(attempt: number, chance: number): number {
  const seconds = Math.min(FIRST_SECONDS * 4 ** (attempt - 1), LONGEST_SECONDS);
  return seconds + seconds * SPREAD * (2 * chance - 1);
}

/** Longest wait that a receiver can ask for. It could otherwise postpone the death of a message without end. */
const LONGEST_ASKED_SECONDS = 3_600;

/**
 * Seconds that a receiver asks the service to wait with `Retry-After` (RFC 9110, section 10.2.3): a number or a date, at
 * most an hour. 0 without the header, and for text that is neither.
 */
export function askedDelay(retryAfter: string | null, now: Date): number {
  const text = retryAfter?.trim() ?? '';
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - now.getTime()) / 1_000;
  return Number.isNaN(seconds) ? 0 : Math.min(Math.max(seconds, 0), LONGEST_ASKED_SECONDS);
}
