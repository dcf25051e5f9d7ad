import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { transformSync } from '@swc/core';
import { generateSource } from 'oazapfts';
import { inject } from 'vitest';
import type { TestApp } from '../../harness/app.js';
import type { TestCollection } from '../../harness/collection.js';

/** Calls an operation on a collection with the objects of its query, and with a body as it is sent. */
export type GeneratedCall = (
  operationId: string,
  query: Readonly<Record<string, unknown>>,
  file?: { readonly text: string; readonly type: string },
) => Promise<{ readonly body: Answer; readonly text: string }>;

// biome-ignore lint/suspicious/noExplicitAny: tests assert on it
type Answer = any;

/** What the tests need of an OpenAPI document. */
export interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
}

interface DescribedOperation {
  readonly operationId: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly required?: boolean;
    readonly content?: object;
  }[];
}

export function operationsOf({ paths }: Description): DescribedOperation[] {
  return Object.values(paths).flatMap(path => Object.values(path));
}

/** Makes a client of a collection from the description alone. */
export type Generate = (
  app: TestApp,
  spec: Description,
  collection: TestCollection,
) => Promise<GeneratedCall>;

interface BuiltRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** swagger-client, which Swagger UI contains. It reads the description when it is called. */
const swaggerClient: Generate = async (app, spec, collection) => {
  const build = swaggerBuilder();
  return async (operationId, query, file) => {
    const request: BuiltRequest = build({
      spec,
      operationId,
      parameters: { collection_id: collection.id, ...query },
      ...(file && { requestBody: file.text, requestContentType: file.type }),
    });
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value]),
    );
    const raw = request.body && { raw: request.body };
    return app.request(request.method, request.url, { ...collection.owner, headers, ...raw });
  };
};

function swaggerBuilder(): (wanted: object) => BuiltRequest {
  // Swagger UI looks for the window of a browser while it is loaded.
  Object.assign(globalThis, { window: globalThis });
  try {
    const { System, presets } = createRequire(import.meta.url)('swagger-ui-dist/swagger-ui-es-bundle.js');
    return new System({ plugins: [presets.base] }).getSystem().fn.buildRequest;
  } finally {
    Reflect.deleteProperty(globalThis, 'window');
  }
}

type Operation = (...parameters: unknown[]) => Promise<{ readonly data: unknown }>;

/** oazapfts, which writes a function for each operation: first what is required, then the rest as an object. */
const oazapfts: Generate = async (app, spec, collection) => {
  const { scratch } = inject('testServer');
  const description = join(scratch, 'openapi.json');
  await writeFile(description, JSON.stringify(withFilesAsText(spec)));
  const source = await generateSource(description);
  const { code } = transformSync(source, { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' } });
  const file = join(scratch, 'generated-client.mjs');
  // The file is outside of the project, where the names of packages have no meaning.
  await writeFile(
    file,
    code.replace(/from "(@oazapfts\/[^"]+)"/g, (_, name) => `from "${import.meta.resolve(name)}"`),
  );
  const operations: Record<string, Operation> = await import(pathToFileURL(file).href);
  const { token, key } = collection.owner as { token?: string; key?: string };
  return async (operationId, query, body) => {
    const given: Readonly<Record<string, unknown>> = { collection_id: collection.id, ...query };
    const { parameters = [] } = operationsOf(spec).find(each => each.operationId === operationId) ?? {};
    const required = parameters.filter(each => each.required).map(({ name }) => name);
    const others = Object.entries(query).filter(([name]) => !required.includes(name));
    const answer = await (operations[operationId] as Operation)(
      ...required.map(name => given[name]),
      ...(body ? [body.text] : []),
      Object.fromEntries(others.map(([name, value]) => [camelCase(name), value])),
      {
        baseUrl: app.url,
        headers: {
          ...(token && { authorization: `Bearer ${token}` }),
          ...(key && { 'x-platform-api-key': key }),
          ...(body && { 'content-type': body.type }),
        },
      },
    );
    return { body: answer.data, text: String(answer.data) };
  };
};

/**
 * oazapfts sends JSON wherever an operation takes it. A file of records may be JSON too, so a person who sends CSV leaves that
 * media type out.
 */
function withFilesAsText(spec: Description): unknown {
  const copy = structuredClone(spec) as { paths: Record<string, Record<string, Answer>> };
  for (const operation of Object.values(copy.paths).flatMap(path => Object.values(path)))
    if (operation.requestBody?.content?.['text/csv'])
      delete operation.requestBody.content['application/json'];
  return copy;
}

function camelCase(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

export const GENERATED: Readonly<Record<string, Generate>> = { 'swagger-client': swaggerClient, oazapfts };
