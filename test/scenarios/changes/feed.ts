import { once } from 'node:events';
import {
  request as httpRequest,
  type IncomingMessage,
  type RequestOptions,
  type Server,
  type ServerResponse,
} from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { onTestFinished, vi } from 'vitest';
import { RecordStore } from '../../../src/engine/storage/record-store.js';
import type { TestApp, TestResponse } from '../../harness/app.js';
import type { Caller, TestCollection } from '../../harness/collection.js';

export interface SeenChange {
  readonly id: string;
  readonly type: string;
  readonly record_id: string;
  readonly changed_at: string;
  // biome-ignore lint/suspicious/noExplicitAny: the fields depend on the record
  readonly record: any;
}

/** Requests changes once. */
export function ask(
  app: TestApp,
  { path, owner }: TestCollection,
  query: Record<string, unknown> = {},
  caller: Caller = owner,
): Promise<TestResponse> {
  return app.request('GET', `${path}/changes?${new URLSearchParams(textsOf(query))}`, caller);
}

function textsOf(query: Record<string, unknown>): [string, string][] {
  return Object.entries(query).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
}

/** Starts a feed and returns the current position. */
export async function now(app: TestApp, collection: TestCollection): Promise<string> {
  const { body, text } = await ask(app, collection);
  if (body?.next_since === undefined) throw new Error(`no position: ${text}`);
  return body.next_since;
}

/** Reads all changes after a position, page by page. */
export async function pulled(
  app: TestApp,
  collection: TestCollection,
  since: string,
  query: Record<string, unknown> = {},
): Promise<SeenChange[]> {
  const changes: SeenChange[] = [];
  for (let from = since; ; ) {
    const { body, status, text } = await ask(app, collection, { ...query, since: from });
    if (status !== 200) throw new Error(text);
    changes.push(...body.changes);
    from = body.next_since;
    if (!body.has_more) return changes;
  }
}

/** The changes in short form. */
export function typesAndValues(changes: readonly SeenChange[], field: string): [string, unknown][] {
  return changes.map(({ type, record }) => [type, record[field]]);
}

/** A stream that the test reads as it arrives. */
export interface Stream {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** The text received so far. */
  text(): string;
  /** The changes received so far, each with the id of its event. */
  changes(): (SeenChange & { readonly eventId: string })[];
  /** The last event id received. */
  lastId(): string | undefined;
  /** The reason that the server gave when it ended the stream; undefined if it has not. */
  end(): { error: string } | undefined;
  readonly ended: Promise<unknown>;
  /** Pauses and resumes reading. */
  readonly answer: IncomingMessage;
  close(): void;
}

/** Follows a collection as a browser does. The test closes the stream, or the end of the test does. */
export async function follow(
  app: TestApp,
  { path, owner }: TestCollection,
  query: Record<string, unknown> = {},
  options: { readonly lastEventId?: string; readonly caller?: Caller; readonly method?: 'POST' } = {},
): Promise<Stream> {
  const { token, key } = options.caller ?? owner;
  const { method = 'GET' } = options;
  const search = method === 'GET' ? `?${new URLSearchParams(textsOf(query))}` : '';
  const sent = httpRequest(`${app.url}${path}/changes${search}`, {
    agent: false,
    method,
    headers: {
      accept: 'text/event-stream',
      ...(method === 'POST' && { 'content-type': 'application/json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(key !== undefined && { 'x-platform-api-key': key }),
      ...(options.lastEventId !== undefined && { 'last-event-id': options.lastEventId }),
    },
  });
  sent.on('error', () => {});
  sent.end(method === 'POST' ? JSON.stringify(query) : undefined);
  onTestFinished(() => void sent.destroy());
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  let text = '';
  answer.setEncoding('utf8').on('data', (piece: string) => (text += piece));
  answer.on('error', () => {});
  const blocks = () => text.split('\n\n').slice(0, -1).map(fieldsOf);
  return {
    status: answer.statusCode as number,
    headers: answer.headers,
    text: () => text,
    changes: () =>
      blocks()
        .filter(({ event }) => event === 'change')
        .map(({ id, data }) => ({ ...JSON.parse(data as string), eventId: id })),
    lastId: () => blocks().findLast(({ id }) => id !== undefined)?.id,
    end: () => {
      const block = blocks().find(({ event }) => event === 'end');
      return block && JSON.parse(block.data as string);
    },
    ended: new Promise(resolve => answer.on('close', resolve)),
    answer,
    close: () => void sent.destroy(),
  };
}

/**
 * Sends a request whose client disconnects while the service reads a feed for it. The read continues when the service
 * has noticed that. Resolves to the response that the service writes.
 */
export async function leaveDuringRead(
  app: TestApp,
  path: string,
  options: RequestOptions & { readonly body?: string },
): Promise<ServerResponse> {
  const store = app.nest.get(RecordStore, { strict: false });
  const read = store.readPrimary.bind(store);
  const sent = httpRequest(`${app.url}${path}`, { agent: false, ...options });
  sent.on('error', () => {});
  const received = once(app.nest.getHttpServer() as Server, 'request');
  const reading = new Promise<void>(resolve => {
    const spy = vi.spyOn(store, 'readPrimary').mockImplementationOnce(async (...given) => {
      spy.mockRestore();
      const [, response] = (await received) as [unknown, ServerResponse];
      const closed = once(response, 'close');
      sent.destroy();
      await closed;
      resolve();
      return read(...given);
    });
  });
  sent.end(options.body);
  await reading;
  const [, response] = (await received) as [unknown, ServerResponse];
  return response;
}

/** Waits until a condition holds; fails after thirty seconds. */
export async function until(condition: () => boolean | Promise<boolean>, what = 'it'): Promise<void> {
  for (let waited = 0; !(await condition()); waited += 20) {
    if (waited > 30_000) throw new Error(`waited in vain for ${what}`);
    await pause(20);
  }
}

function fieldsOf(block: string): Record<string, string> {
  const lines = block.split('\n').filter(line => !line.startsWith(':'));
  return Object.fromEntries(
    lines.map(line => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  );
}
