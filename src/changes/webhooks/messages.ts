/** A message for a webhook. */
export interface Message {
  readonly payload: string;
  readonly changes: number;
}

/** What it is about. */
export interface MessageHead {
  readonly webhookId: string;
  readonly collectionId: string;
  readonly now: Date;
}

/** Changes of one message, and characters, unless one change alone is longer. */
const MAX_CHANGES = 100;
const MAX_LENGTH = 256 * 1024;

/** Changes, each JSON text, in as few messages as they fit in. */
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

/** Says that changes were not delivered and never will be: the collection has to be read again. */
export function missedMessage(head: MessageHead): Message {
  return { payload: payload('collection.changes_missed', head), changes: 0 };
}

/** Says nothing but that messages arrive. */
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
