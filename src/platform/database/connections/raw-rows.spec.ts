import { EventEmitter } from 'node:events';
import { expect, it, vi } from 'vitest';
import { RawRowsClient } from './raw-rows.js';
import { RowReader } from './row-reader.js';

function message(type: string, content: Buffer): Buffer {
  const head = Buffer.alloc(5, type);
  head.writeUInt32BE(content.length + 4, 1);
  return Buffer.concat([head, content]);
}

function row(...values: (string | null)[]): Buffer {
  const parts = values.map(value => {
    const text = Buffer.from(value ?? '');
    const length = Buffer.alloc(4);
    length.writeInt32BE(value === null ? -1 : text.length);
    return Buffer.concat([length, text]);
  });
  return message('D', Buffer.concat([Buffer.from([0, values.length]), ...parts]));
}

const ROWS = [row(null, 'é𝄞'), row('', 'D'.repeat(50)), row('x', null)];
const NOTICE = message('N', Buffer.from('SNOTICE\0\0'));
const RECEIVED = Buffer.concat([
  message('2', Buffer.alloc(0)),
  ...ROWS.slice(0, 2),
  NOTICE,
  ...ROWS.slice(2),
  message('C', Buffer.from('SELECT 3\0')),
  message('Z', Buffer.from('I')),
]);

/** A client that receives `bytes` in chunks of `length` while it runs a statement, and the names of what it handles. */
function connected(length: number) {
  const client = new RawRowsClient({});
  const { connection } = client as unknown as {
    connection: EventEmitter & { attachListeners(stream: EventEmitter): void };
  };
  const [stream, handled] = [new EventEmitter(), [] as string[]];
  connection.on('message', ({ name }) => handled.push(name));
  connection.attachListeners(stream);
  vi.spyOn(client, 'query').mockImplementation(async () => {
    // Copies, because node-postgres writes to what it receives.
    for (let at = 0; at < RECEIVED.length; at += length)
      stream.emit('data', Buffer.from(RECEIVED.subarray(at, at + length)));
  });
  return { client, handled };
}

it('takes the rows, and leaves other messages to node-postgres, in chunks of any length', async () => {
  for (let length = 1; length <= RECEIVED.length; length++) {
    const { client, handled } = connected(length);
    expect(await client.rawRows('SELECT 1')).toEqual(Buffer.concat(ROWS));
    expect(handled).toEqual(['bindComplete', 'notice', 'commandComplete', 'readyForQuery']);
  }
});

it('leaves the rows of other statements to node-postgres', async () => {
  const { client, handled } = connected(7);
  await client.rawRows('SELECT 1');
  handled.length = 0;
  await client.query('SELECT 1');
  expect(handled.filter(name => name === 'dataRow')).toHaveLength(3);
});

it('reads the values of rows', () => {
  const rows = new RowReader(Buffer.concat(ROWS));
  expect([rows.count, rows.countOfFirst]).toEqual([3, 2]);
  const values = [];
  while (rows.advance()) values.push([rows.text(0), rows.text(1)]);
  expect(values).toEqual([
    [null, 'é𝄞'],
    ['', 'D'.repeat(50)],
    ['x', null],
  ]);
});
