/** Commands and code that create a collection and its first records, with the address of the service filled in. */
export function linesOf(url: string): { readonly [Kind in 'csv' | 'curl' | 'typescript' | 'cli']: string } {
  return {
    csv: `# in a clone: npm ci && npm run build && npm install --global ./packages/cli
tcol login --url ${url}
tcol collections create books --from books.csv
tcol import books books.csv`,
    curl: `curl "${url}/v1/collections" -H "x-platform-api-key: $KEY" -H "content-type: application/json" \\
  -d '{"name":"books","properties":{"title":{"type":"text"},"year":{"type":"integer"}}}'
curl "${url}/v1/collections/books/data" -H "x-platform-api-key: $KEY" -H "content-type: application/json" \\
  -d '{"records":[{"title":"Emma","year":1815}]}'`,
    typescript: `import { createClient } from '@typed-collections/client';
import { createApi } from '@typed-collections/client/api';

const client = createClient({ url: '${url}', key: process.env.KEY });
await createApi(client).collections.createCollection({
  name: 'books',
  properties: { title: { type: 'text' }, year: { type: 'integer' } },
});
await client.collection('books').insert([{ title: 'Emma', year: 1815 }]);`,
    cli: `# in a clone: npm ci && npm run build && npm install --global ./packages/cli
tcol login --url ${url}
tcol collections create books --column 'title:text!' --column year:integer
tcol insert books '{"title": "Emma", "year": 1815}'`,
  };
}
