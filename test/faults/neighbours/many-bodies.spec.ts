import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { Comparison, nothing } from '../support/comparison.js';
import { Neighbour } from '../support/neighbour.js';
import { send, smallInstance } from './small-instance.js';

const BODIES = 1_500;
/** Bodies of which the last byte never comes. */
const UNFINISHED = 100;
/** Together they are larger than the process may become. */
const BODY_BYTES = 250 * 1024;
const MOST_MIB = 600;
/** The median of the neighbour's times. The bodies take most of the processor. */
const MOST_TIMES = 10;
/** Answers to bodies that most new connections of others see before their own answer. All wait in one queue. */
const MOST_EARLIER = BODIES / 10;
const CONNECT_EVERY_MS = 100;
const PHASE_MS = 3_000;

it('a process of 256 MB serves other callers while one key sends 1,500 bodies of 250 KiB at once, and those of which the last byte is missing', async () => {
  const { instance, key, token } = await smallInstance();
  const owner = { 'x-platform-api-key': key };
  const body = { name: 'many', properties: { text: { type: 'text' } }, settings: { max_records: 1_000_000 } };
  const made = await send(instance.url, owner, { method: 'POST', path: '/v1/collections', body });
  const path = `/v1/collections/${JSON.parse(made.text).collection_id}/data`;
  const text = `{"records":{"text":"${'x'.repeat(BODY_BYTES - 24)}"}}`;
  const head =
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nx-platform-api-key: ${key}\r\nConnection: close\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n`;
  const neighbour = await Neighbour.start({ urls: [instance.url], token });

  const statuses = new Map<string, number>();
  const many = async (count: number, isWhole: boolean) => {
    const sockets: Socket[] = [];
    onTestFinished(() => sockets.forEach(socket => void socket.destroy()));
    await Promise.all(
      Array.from({ length: count }, () => {
        const socket = connect(Number(new URL(instance.url).port), '127.0.0.1');
        sockets.push(socket);
        socket.write(head + (isWhole ? text : text.slice(0, -1)));
        return new Promise<void>(resolve => {
          let answer = '';
          socket.on('data', chunk => {
            answer ||= String(chunk).slice(9, 12);
          });
          socket.on('error', () => undefined);
          socket.on('close', () => {
            statuses.set(answer, (statuses.get(answer) ?? 0) + 1);
            resolve();
          });
        });
      }),
    );
  };
  const answered = () => [...statuses.values()].reduce((sum, count) => sum + count, 0);
  const earlier: number[] = [];
  const connectOften = () =>
    setInterval(async () => {
      const before = answered();
      const answer = await fetch(`${instance.url}/health/live`, { headers: { connection: 'close' } });
      if (answer.ok) earlier.push(answered() - before);
    }, CONNECT_EVERY_MS);
  const comparison = await Comparison.of(neighbour, {
    quiet: nothing(PHASE_MS),
    faulty: async () => {
      const connecting = connectOften();
      await many(BODIES, true);
      clearInterval(connecting);
    },
    after: () => many(UNFINISHED, false),
  });
  await neighbour.stop();
  await comparison.note(`${BODIES} bodies of 250 KiB at once`);
  const peak = await peakMiB(instance.pid());
  expect(instance.alive(), instance.log().slice(-2_000)).toBe(true);
  expect(neighbour.failed).toEqual([]);
  expect(peak, `${comparison} ${JSON.stringify([...statuses])}`).toBeLessThan(MOST_MIB);
  expect(comparison.ratio('median'), `${comparison}`).toBeLessThanOrEqual(MOST_TIMES);
  earlier.sort((a, b) => a - b);
  expect(earlier[earlier.length >> 1], `${earlier}`).toBeLessThanOrEqual(MOST_EARLIER);
  await instance.stop();
});

/** The most memory that the process has had. */
async function peakMiB(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]) / 1024;
}
