import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { TestApp, TestRequest, TestResponse } from '../harness/app.js';

interface Media {
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
  readonly schema?: { readonly example?: unknown };
}

interface Parameter extends Media {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'cookie';
  readonly content?: Readonly<Record<string, Media>>;
}

interface Described {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, object>> }>>;
}

/** An operation of the description, and the request that Swagger UI sends for it without changes. */
export interface Operation extends Described {
  readonly method: string;
  readonly path: string;
}

/** The request sent for an operation, and the answer. */
export interface Exchange {
  readonly operation: Operation;
  readonly response: TestResponse;
}

/** The OpenAPI description of a running service, read as a client reads it. */
export class ApiDescription {
  readonly operations: readonly Operation[];
  private readonly ajv = new Ajv2020({ strict: false, allErrors: true });

  private constructor(
    private readonly app: TestApp,
    document: { paths: Record<string, Record<string, Described>> },
  ) {
    (formats as unknown as (ajv: Ajv2020) => void)(this.ajv);
    this.ajv.addSchema(document, 'api');
    this.operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, each]) => ({ ...each, method: method.toUpperCase(), path })),
    );
  }

  static async of(app: TestApp): Promise<ApiDescription> {
    return new ApiDescription(app, (await app.request('GET', '/openapi.json')).body);
  }

  operation(operationId: string): Operation {
    const found = this.operations.find(each => each.operationId === operationId);
    if (found === undefined) throw new Error(`There is no operation ${operationId}.`);
    return found;
  }

  /** Sends every example of an operation. Path parameters come from `ids`, else from their examples. */
  async sendExamples(
    operation: Operation,
    ids: Readonly<Record<string, string>>,
    request: TestRequest,
  ): Promise<Exchange[]> {
    const target = addressOf(operation, ids);
    const contents = Object.entries(operation.requestBody?.content ?? {});
    const bodies = contents.flatMap(([type, media]) => examplesOf(media).map(value => ({ type, value })));
    const exchanges: Exchange[] = [];
    for (const body of bodies.length > 0 ? bodies : [undefined]) {
      const response = await this.app.request(operation.method, target, {
        ...request,
        ...encoded(body, request),
      });
      exchanges.push({ operation, response });
    }
    return exchanges;
  }

  /** Differences between an answer and the schema of its status; empty when it matches. */
  problemsOf({ operation, response }: Exchange): string[] {
    const type = response.headers.get('content-type')?.split(';')[0] ?? '';
    const documented = operation.responses[response.status];
    if (documented === undefined)
      return [`status ${response.status} is not documented: ${response.text.slice(0, 300)}`];
    if (type !== 'application/json' || documented.content?.[type] === undefined) return [];
    const segments = [
      'paths',
      operation.path,
      operation.method.toLowerCase(),
      'responses',
      String(response.status),
    ];
    const pointer = [...segments, 'content', type, 'schema'].map(each =>
      each.replace(/~/g, '~0').replace(/\//g, '~1'),
    );
    const validate = this.ajv.compile({ $ref: `api#/${pointer.map(encodeURIComponent).join('/')}` });
    if (validate(response.body)) return [];
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  }
}

/** Method, path and query of an operation, with the examples of its query parameters. */
function addressOf({ path, parameters = [] }: Operation, ids: Readonly<Record<string, string>>): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const parameter = parameters.find(each => each.in === 'path' && each.name === name);
    return encodeURIComponent(ids[name] ?? String(examplesOf(parameter ?? {})[0] ?? name));
  });
  const query = new URLSearchParams();
  for (const parameter of parameters.filter(each => each.in === 'query')) {
    const value =
      ids[`?${parameter.name}`] ?? examplesOf(parameter.content?.['application/json'] ?? parameter)[0];
    if (value !== undefined)
      query.set(parameter.name, typeof value === 'string' ? value : JSON.stringify(value));
  }
  return query.size > 0 ? `${filled}?${query}` : filled;
}

function examplesOf({ example, examples, schema }: Media): unknown[] {
  if (examples !== undefined) return Object.values(examples).map(each => each.value);
  const only = example ?? schema?.example;
  return only === undefined ? [] : [only];
}

function encoded(body: { type: string; value: unknown } | undefined, { headers }: TestRequest): TestRequest {
  if (body === undefined) return {};
  const { type, value } = body;
  const isForm = type === 'application/x-www-form-urlencoded';
  const raw =
    typeof value === 'string'
      ? value
      : isForm
        ? new URLSearchParams(value as Record<string, string>).toString()
        : JSON.stringify(value);
  return { raw, headers: { ...headers, 'content-type': type } };
}
