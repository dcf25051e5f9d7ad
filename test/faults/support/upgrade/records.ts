import { randomBytes, randomUUID } from 'node:crypto';
import type { Answer, Calls, Sent } from './calls.js';

const BULK = 20;

/** A write with an Idempotency-Key, and its first answer. */
interface Keyed {
  readonly method: string;
  readonly path: string;
  readonly sent: Sent;
  readonly first: Answer;
}

/** Reads and writes the records of one collection, and knows what must be there. */
export class RecordWriter {
  /** The ids of all records that were inserted one by one. */
  readonly inserted = new Set<string>();
  readonly deleted = new Set<string>();
  /** How many records the collection has. */
  count = 0;
  private readonly keyed: Keyed[] = [];

  /** @param data `/v1/collections/{id}/data` of a collection with a number `n` and texts `note` and `code` (unique). */
  constructor(
    private readonly calls: Calls,
    private readonly data: string,
  ) {}

  async round(n: number): Promise<void> {
    const id = await this.insert(await this.calls.ask('POST', this.data, { body: { records: [{ n }] } }));
    const path = `${this.data}/${id}`;
    await this.calls.ask('PATCH', path, { body: { $set: { note: 'two' } } });
    const twice = await this.insert(await this.twice('POST', this.data, { records: [{ n, note: 'key' }] }));
    await this.twice('PATCH', `${this.data}/${twice}`, { $inc: { n: 1 } });
    const { body } = await this.calls.ask('GET', `${this.data}/${twice}`);
    this.calls.check('a keyed increment', body?.record?.n, n + 1);
    await this.twice('POST', `${this.data}/bulk`, { records: Array.from({ length: BULK }, () => ({ n })) });
    this.count += BULK;
    await this.upsert(n);
    const filter = { note: 'two', _id: id };
    await this.calls.ask('PATCH', this.data, { body: { filter, update: { $set: { note: 'three' } } } });
    const read = await this.calls.ask('GET', path);
    this.calls.check('an update', [read.body?.record?.n, read.body?.record?.note], [n, 'three']);
    await this.calls.ask('POST', `${this.data}/query`, { body: { filter: { n }, limit: 5 } });
    await this.delete(twice);
    await this.retryEarlier();
    await this.newCollection(n);
  }

  private async insert(answer: Answer): Promise<string> {
    const [id] = (answer.body?.ids ?? []) as string[];
    if (id === undefined) return 'none';
    this.inserted.add(id);
    this.count += 1;
    return id;
  }

  private async delete(id: string): Promise<void> {
    const { body } = await this.calls.ask('DELETE', `${this.data}/${id}`);
    if (body?.deleted_count !== 1) return;
    this.deleted.add(id);
    this.count -= 1;
  }

  /** Inserts a record by its code, and changes it. */
  private async upsert(n: number): Promise<void> {
    const code = randomUUID();
    for (const note of ['one', 'two']) {
      const body = { data: { n, code, note }, match_fields: ['code'] };
      const { body: result } = await this.calls.ask('POST', `${this.data}/upsert`, { body });
      this.calls.check('an upsert', result?.result?.inserted, note === 'one');
      if (note === 'one') this.inserted.add(result?.result?._id);
    }
    this.count += 1;
  }

  /** Sends a write twice with one key, as a client whose connection was lost: the answers must be equal. */
  private async twice(method: string, path: string, body: unknown): Promise<Answer> {
    const sent = { body, headers: { 'idempotency-key': randomUUID() } };
    const first = await this.calls.ask(method, path, sent);
    const write = { method, path, sent, first };
    await this.retry(write);
    this.keyed.push(write);
    return first;
  }

  /** Retries a write that another version may have made. */
  private async retryEarlier(): Promise<void> {
    const write = this.keyed[Math.floor(Math.random() * this.keyed.length)];
    if (write !== undefined) await this.retry(write);
  }

  private async retry({ method, path, sent, first }: Keyed): Promise<void> {
    const again = await this.calls.send(method, path, sent);
    const answer = [again.status, again.body?.error ?? again.body, again.headers.get('idempotency-replayed')];
    const refused = [422, 'IdempotencyKeyReused', null];
    const expected = isUnknownToEarlier(first, again) ? refused : [first.status, first.body, 'true'];
    this.calls.check(`${method} ${path} again`, answer, expected);
  }

  private async newCollection(n: number): Promise<void> {
    const name = `made_${n}_${randomBytes(4).toString('hex')}`;
    const made = await this.calls.ask('POST', '/v1/collections', { body: { name } });
    const data = `/v1/collections/${made.body?.collection_id}/data`;
    await this.calls.ask('POST', data, { body: { records: [{ n }] } });
  }
}

/**
 * Version 1.0.0 cannot compare a request with one that a later version has stored: it refuses the retry, and writes nothing.
 * It is the only version that does not name itself.
 */
function isUnknownToEarlier(first: Answer, again: Answer): boolean {
  const [stored, retried] = [first, again].map(({ headers }) => headers.get('x-service-version'));
  return stored !== null && retried === null;
}
