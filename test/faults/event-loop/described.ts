interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly example?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

interface Shown {
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
  readonly schema?: Schema;
}

interface Parameter extends Shown {
  readonly name: string;
  readonly in: string;
}

interface DescribedOperation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Shown>> };
}

export interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** An operation in the OpenAPI description of the service. */
export interface Operation {
  readonly id: string;
  readonly method: string;
  /** Contains `{name}` for each parameter. */
  readonly path: string;
  readonly queries: readonly string[];
  /** Examples of the parameters in `path`. */
  readonly inPath: Readonly<Record<string, string>>;
  /** Bodies by media type: the example, and one with every field. */
  readonly bodies: Readonly<Record<string, readonly [shown: unknown, full: unknown]>>;
}

/** How many levels of examples are generated for schemas without one. */
const LEVELS = 6;

export function operationsOf(description: Description): Operation[] {
  return Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, each]) => {
      const parameters = each.parameters ?? [];
      const inPath = parameters
        .filter(parameter => parameter.in === 'path')
        .map(parameter => [parameter.name, String(shownIn(parameter) ?? 'x')]);
      const bodies = Object.entries(each.requestBody?.content ?? {}).map(([type, shown]) => [
        type,
        examplesOf(description, shown),
      ]);
      return {
        id: each.operationId,
        method: method.toUpperCase(),
        path,
        queries: parameters.filter(parameter => parameter.in === 'query').map(({ name }) => name),
        inPath: Object.fromEntries(inPath),
        bodies: Object.fromEntries(bodies),
      };
    }),
  );
}

function shownIn({ example, examples, schema }: Shown): unknown {
  return Object.values(examples ?? {})[0]?.value ?? example ?? schema?.example;
}

function examplesOf(description: Description, shown: Shown): readonly [unknown, unknown] {
  const [made, given] = [madeUp(description, shown.schema ?? {}, LEVELS), shownIn(shown)];
  const areObjects = [made, given].every(each => typeof each === 'object' && each !== null);
  const full = areObjects ? { ...(made as object), ...(given as object) } : (given ?? made);
  return [given ?? full, full];
}

function madeUp(description: Description, schema: Schema, levels: number): unknown {
  if (schema.$ref !== undefined)
    return madeUp(
      description,
      description.components.schemas[schema.$ref.split('/').at(-1) as string]!,
      levels,
    );
  const other = schema.oneOf?.[0] ?? schema.allOf?.[0];
  if (schema.properties !== undefined && levels > 0) {
    const members = Object.entries(schema.properties).map(([name, each]) => [
      name,
      madeUp(description, each, levels - 1),
    ]);
    return Object.fromEntries(members);
  }
  if (schema.example !== undefined) return schema.example;
  if (schema.enum !== undefined) return schema.enum[0];
  if (other !== undefined) return madeUp(description, other, levels);
  if (schema.type === 'array') return levels > 0 ? [madeUp(description, schema.items ?? {}, levels - 1)] : [];
  if (schema.type === 'object') return { a: 1 };
  if (schema.type === 'integer' || schema.type === 'number') return 1;
  return schema.type === 'boolean' ? true : 'x';
}
