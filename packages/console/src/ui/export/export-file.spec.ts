import { expect, it } from 'vitest';
import { exportFile, type Format, type Progress } from './export-file.js';

function sourceOf(text: string, size: number, failure?: Error): ReadableStream<Uint8Array<ArrayBuffer>> {
  const bytes = new TextEncoder().encode(text);
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at < bytes.length) {
        controller.enqueue(bytes.slice(at, at + size));
        at += size;
      } else if (failure === undefined) controller.close();
      else controller.error(failure);
    },
  });
}

async function exported(text: string, format: Format, options: { failure?: Error } = {}) {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  const ends: string[] = [];
  const seen: Progress[] = [];
  const sink = {
    write: async (bytes: Uint8Array<ArrayBuffer>) => void pieces.push(bytes),
    close: async () => void ends.push('closed'),
    abort: async () => void ends.push('aborted'),
  };
  const done = exportFile(sourceOf(text, 3, options.failure), format, sink, progress => seen.push(progress));
  const progress = await done.catch((error: Error) => error.message);
  return { text: await new Blob(pieces).text(), progress, ends, seen };
}

const NDJSON = '{"a":"é"}\n{"a":2}\n';

it('writes NDJSON as it is', async () => {
  const file = await exported(NDJSON, 'ndjson');
  expect(file.text).toBe(NDJSON);
  expect(file.progress).toEqual({ rows: 2, bytes: new TextEncoder().encode(NDJSON).byteLength });
  expect(file.ends).toEqual(['closed']);
});

it.each<[Format, string, number]>([
  ['json', '[\n{"a":"\\""},\n{"a":2}\n]\n', 2],
  ['json', '[]\n', 0],
  ['csv', 'a,b\r\n"two\r\nlines, ""x""",-2\r\n', 1],
  ['csv', 'a\r\n', 0],
])('counts the records of %s: %j', async (format, text, rows) => {
  expect(await exported(text, format)).toMatchObject({ text, progress: { rows } });
});

it('counts records while it writes', async () => {
  const { seen } = await exported(NDJSON, 'ndjson');
  expect(seen.map(({ rows }) => rows)).toEqual([...seen.map(({ rows }) => rows)].sort());
  expect(seen.length).toBeGreaterThan(2);
});

it('keeps nothing of a file that breaks off', async () => {
  const file = await exported(NDJSON, 'ndjson', { failure: new Error('broken') });
  expect(file).toMatchObject({ progress: 'broken', ends: ['aborted'] });
});
