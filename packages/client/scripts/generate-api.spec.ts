import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { generateApi } from './generate-api.mjs';

const root = new URL('../../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');

const schema = { type: 'object', properties: { slug: { type: 'string' } }, required: ['slug'] };
const operation = {
  operationId: 'makeThing',
  tags: ['Own Things'],
  responses: { 201: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } } } },
  requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } } },
};
const document = (changes: object, things: object = {}) => ({
  paths: { '/things': { post: { ...operation, ...changes } } },
  components: { schemas: { Thing: { ...schema, ...things } } },
});

it('the generated files fit docs/openapi.json (else: node packages/client/scripts/generate-api.mjs)', async () => {
  const files = await generateApi(JSON.parse(read('docs/openapi.json')));
  for (const [name, text] of Object.entries(files)) {
    expect(read(`packages/client/src/api/${name}`), name).toBe(text);
  }
});

describe('the generator', () => {
  it('does not depend on descriptions and examples', async () => {
    const wording = { description: 'Text.', example: { slug: 'x' } };
    expect(await generateApi(document({ summary: 'Text.' }, wording))).toEqual(
      await generateApi(document({})),
    );
  });

  it('keeps fields that are named like a text for people', async () => {
    const files = await generateApi(
      document({}, { properties: { slug: { type: 'string' }, description: {} } }),
    );
    expect(files['operations.ts']).toContain('description?: unknown');
  });

  it('groups the operations by their tag', async () => {
    const files = await generateApi(document({}));
    expect(files['table.ts']).toContain("ownThings: {\n    makeThing: 'POST /things',");
    expect(files['operations.ts']).toContain('ownThings: {\n    makeThing: {');
  });

  it('marks operations that take an idempotency key, or no body', async () => {
    const parameters = [{ in: 'header', name: 'Idempotency-Key' }];
    expect((await generateApi(document({ parameters })))['table.ts']).toContain("'POST /things once'");
    expect((await generateApi(document({ requestBody: undefined })))['table.ts']).toContain(
      "'POST /things bare'",
    );
  });

  it.each([
    ['an operation without a tag', { tags: [] }, /has no tag/],
    ['a query beside a body', { parameters: [{ in: 'query', name: 'page' }] }, /has a query/],
    [
      'a parameter and a required field of one name',
      { parameters: [{ in: 'path', name: 'slug' }] },
      /slug is a/,
    ],
    [
      'a body of any fields',
      { requestBody: { content: { 'application/json': { schema: {} } } } },
      /known fields/,
    ],
  ])('refuses %s', async (_, changes, message) => {
    await expect(generateApi(document(changes))).rejects.toThrow(message);
  });
});
