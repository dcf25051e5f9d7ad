import type { CollectionInfo } from '../../../api/collection-query.js';

const SAMPLES: Readonly<Record<string, unknown>> = {
  text: 'text',
  integer: 1,
  double: 1.5,
  boolean: true,
  date: '2026-01-31',
  datetime: '2026-01-31T09:30:00Z',
  json: { key: 'value' },
  array: ['one', 'two'],
};

/** A record that fits the schema, for examples of inserts. */
export function sampleRecord(schema: CollectionInfo['schema']): Record<string, unknown> {
  const columns = Object.entries(schema).slice(0, 6);
  if (columns.length === 0) return { name: 'text', amount: 1 };
  const required = Object.entries(schema).filter(([, { nullable }]) => !nullable);
  return Object.fromEntries(
    Object.entries(schema)
      .filter(
        entry => columns.some(([name]) => name === entry[0]) || required.some(([name]) => name === entry[0]),
      )
      .map(([name, { type }]) => [name, SAMPLES[type]]),
  );
}

/** Ways to insert a record, with the address and the name filled in. The key is to be put in the environment. */
export function insertExamples(origin: string, name: string, record: Record<string, unknown>) {
  const json = JSON.stringify(record);
  return {
    curl: `curl -X POST ${shellQuoted(`${origin}/v1/collections/${encodeURIComponent(name)}/data`)} \\
  -H "x-platform-api-key: $KEY" -H 'content-type: application/json' \\
  -d ${shellQuoted(JSON.stringify({ records: [record] }))}`,
    typescript: `import { createClient } from '@typed-collections/client';

const client = createClient({ url: ${JSON.stringify(origin)}, key: process.env.KEY });
await client.collection(${JSON.stringify(name)}).insert(${json});`,
    cli: `tcol login --url ${shellQuoted(origin)}
tcol insert ${shellQuoted(name)} ${shellQuoted(json)}`,
  };
}

/** A text as one argument of a shell. */
function shellQuoted(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
