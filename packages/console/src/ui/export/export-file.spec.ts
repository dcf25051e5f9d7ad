import { expect, it } from 'vitest';
import { exportFile, type Format, type Progress } from './export-file.js';

function sourceOf(text: string, size: number, failure?: Error): ReadableStream<Uint8Array> {
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

async function exported(
  text: string,
  format: Format,
  options: { keepsFormulas?: boolean; failure?: Error } = {},
) {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  const ends: string[] = [];
  const seen: Progress[] = [];
  const sink = {
    write: async (bytes: Uint8Array<ArrayBuffer>) => void pieces.push(bytes),
    close: async () => void ends.push('closed'),
    abort: async () => void ends.push('aborted'),
  };
  const done = exportFile(sourceOf(text, 3, options.failure), format, sink, {
    ...options,
    onProgress: progress => seen.push(progress),
  });
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

it('writes one JSON array', async () => {
  expect(JSON.parse((await exported(NDJSON, 'json')).text)).toEqual([{ a: 'é' }, { a: 2 }]);
  expect(JSON.parse((await exported('', 'json')).text)).toEqual([]);
});

it('guards CSV against formulas unless it is asked to keep them', async () => {
  const csv = 'a,b\r\n=1+1,-2\r\n';
  expect(await exported(csv, 'csv')).toMatchObject({ text: "a,b\r\n'=1+1,-2\r\n", progress: { rows: 1 } });
  expect(await exported(csv, 'csv', { keepsFormulas: true })).toMatchObject({
    text: csv,
    progress: { rows: 1 },
  });
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
