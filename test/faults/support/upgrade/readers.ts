import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { apiKey, type Calls } from './calls.js';

/** The records of the list that a `PageReader` reads. */
const LISTED = 30;

/** Reads lists page by page. Each cursor may come from the other version. */
export class PageReader {
  private cursor = '';
  private expected = 1;
  private auditCursor: string | undefined;

  constructor(
    private readonly calls: Calls,
    private readonly collection: string,
    private readonly orgSlug: string,
  ) {}

  /** Makes the records of the list. */
  async fill(): Promise<void> {
    const records = Array.from({ length: LISTED }, (_, at) => ({ n: at + 1 }));
    await this.calls.ask('POST', `${this.collection}/data/bulk`, { body: { records } });
  }

  async round(): Promise<void> {
    const body = { filter: { n: { $gte: 1 } }, sort: { n: 1 }, limit: 1, cursor: this.cursor };
    const page = await this.calls.ask('POST', `${this.collection}/data/query`, { body });
    this.calls.check('a page', page.body.records?.[0]?.n, this.expected);
    this.cursor = page.body.next_cursor ?? '';
    this.expected = (this.expected % LISTED) + 1;
    const after = this.auditCursor === undefined ? '' : `&cursor=${this.auditCursor}`;
    const audit = await this.calls.ask('GET', `/v2/orgs/${this.orgSlug}/audit?limit=1${after}`);
    this.auditCursor = audit.body.next_cursor ?? undefined;
  }
}

/** The changes of records that somebody received. */
class Received {
  /** Ids of changes that came more than once. */
  readonly again: string[] = [];
  private readonly ids = new Set<string>();
  private readonly records = new Map<string, number>();

  add(changes: readonly { id: string; type: string; record_id: string }[]): void {
    for (const { id, type, record_id } of changes) {
      if (this.ids.has(id)) this.again.push(id);
      this.ids.add(id);
      const record = `${type} ${record_id}`;
      this.records.set(record, (this.records.get(record) ?? 0) + 1);
    }
  }

  /** How many records had a change of this type. */
  count(type: string): number {
    return [...this.records.keys()].filter(record => record.startsWith(`${type} `)).length;
  }

  /** Those of `ids` that did not have exactly one change of this type. */
  missing(type: string, ids: Iterable<string>): string[] {
    return [...ids].filter(id => this.records.get(`${type} ${id}`) !== 1);
  }
}

/** Asks for changes, each time with the position of the last answer. */
export class ChangePoller {
  readonly received = new Received();
  private since = '';

  constructor(
    private readonly calls: Calls,
    private readonly collection: string,
  ) {}

  async begin(): Promise<void> {
    const { body } = await this.calls.ask('GET', `${this.collection}/changes`);
    this.since = body.next_since;
  }

  async round(): Promise<void> {
    const { body } = await this.calls.ask('GET', `${this.collection}/changes?limit=1000&since=${this.since}`);
    this.received.add(body.changes ?? []);
    this.since = body.next_since ?? this.since;
  }
}

/** Follows a stream of changes. When it ends, it goes on at another instance after the last event. */
export class ChangeStream {
  readonly received = new Received();
  private lastId = '';
  private readonly over = new AbortController();

  constructor(
    private readonly calls: Calls,
    private readonly collection: string,
    private readonly key: string,
  ) {
    onTestFinished(() => this.over.abort());
  }

  async begin(): Promise<void> {
    const { body } = await this.calls.ask('GET', `${this.collection}/changes`);
    this.lastId = body.next_since;
    void this.follow();
  }

  private async follow(): Promise<void> {
    while (!this.over.signal.aborted) {
      await this.read().catch(() => undefined);
      await pause(50);
    }
  }

  private async read(): Promise<void> {
    const headers = { ...apiKey(this.key), accept: 'text/event-stream', 'last-event-id': this.lastId };
    const url = `${this.calls.next()}${this.collection}/changes`;
    const response = await fetch(url, { headers, signal: this.over.signal });
    if (response.status !== 200) this.calls.note('stream', url, response.status, await response.text());
    let text = '';
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const events = (text + chunk).split('\n\n');
      text = events.pop() as string;
      for (const event of events) this.take(event);
    }
  }

  private take(event: string): void {
    const field = (name: string) => new RegExp(`^${name}: ?(.*)$`, 'm').exec(event)?.[1];
    this.lastId = field('id') ?? this.lastId;
    if (field('event') === 'change') this.received.add([JSON.parse(field('data') as string)]);
    if (field('event') === 'end') this.calls.note('stream', event);
  }
}

/** Receives the messages of a webhook. A message that is sent again has the same id. */
export class WebhookReceiver {
  readonly received = new Received();
  /** `host:port`, for `OUTBOUND_ALLOW_INSECURE_HOSTS`. */
  host = '';
  private readonly messages = new Set<string>();

  async listen(): Promise<void> {
    const server = createServer(async (request, response) => {
      let text = '';
      for await (const chunk of request) text += chunk;
      const id = String(request.headers['webhook-id']);
      if (!this.messages.has(id)) this.received.add(JSON.parse(text).data.changes ?? []);
      this.messages.add(id);
      response.end();
    });
    await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening));
    onTestFinished(() => {
      server.close();
      server.closeAllConnections();
    });
    this.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
}
