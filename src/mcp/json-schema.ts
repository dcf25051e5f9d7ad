import { isJsonObject } from '../kernel/json.js';

/** A class whose properties are documented for OpenAPI: the body of a request, or a view. */
export type Documented<T extends object = object> = new () => T;

/** JSON Schema 2020-12 of an object. */
export interface ObjectSchema {
  readonly [keyword: string]: unknown;
  readonly type: 'object';
  readonly properties: Readonly<Record<string, object>>;
  readonly required: string[];
}

/** Where @nestjs/swagger keeps what `@ApiProperty` was told. */
const NAMES = 'swagger/apiModelPropertiesArray';
const PROPERTY = 'swagger/apiModelProperties';

interface PropertyMetadata {
  readonly type?: unknown;
  readonly isArray?: boolean;
  readonly required?: boolean;
  /** The same for what is said to be an object. */
  readonly selfRequired?: boolean;
  readonly nullable?: boolean;
  readonly example?: unknown;
  readonly [keyword: string]: unknown;
}

/**
 * The schema of a class, from the same decorators that OpenAPI is made of. OpenAPI 3.0 has words of its own for null,
 * examples and required properties; JSON Schema says them otherwise. What is required comes first.
 */
export function schemaOf(documented: Documented, without: readonly string[] = []): ObjectSchema {
  const { prototype } = documented;
  const names = ((Reflect.getMetadata(NAMES, prototype) ?? []) as string[])
    .map(name => name.slice(1))
    .filter(name => !without.includes(name));
  const metadata = (name: string): PropertyMetadata => Reflect.getMetadata(PROPERTY, prototype, name);
  const required = names.filter(name => isRequired(metadata(name)));
  const ordered = [...required, ...names.filter(name => !required.includes(name))];
  return {
    type: 'object',
    properties: Object.fromEntries(ordered.map(name => [name, propertySchema(metadata(name))])),
    required,
  };
}

function isRequired({ required, selfRequired }: PropertyMetadata): boolean {
  return required !== false && selfRequired !== false;
}

function propertySchema(metadata: PropertyMetadata): object {
  const { type, isArray, required, selfRequired, nullable, example, ...rest } = metadata;
  const [only = type] = Array.isArray(type) ? type : [type];
  const value = rest.oneOf === undefined ? typeSchema(only) : {};
  const own = {
    ...(isArray === true ? { type: 'array', items: value } : value),
    ...jsonSchema(rest),
    ...(example !== undefined && { examples: [example] }),
  };
  return nullable === true ? orNull(own) : own;
}

const SCALARS = new Map<unknown, object>([
  [String, { type: 'string' }],
  [Number, { type: 'number' }],
  [Boolean, { type: 'boolean' }],
  [Object, {}],
]);

function typeSchema(type: unknown): object {
  if (typeof type !== 'function') return { type };
  const scalar = SCALARS.get(type);
  if (scalar !== undefined) return scalar;
  // An arrow function is a class that is told later.
  const documented = type.prototype === undefined ? type() : type;
  return schemaOf(documented);
}

/** The same for schemas inside a schema. */
function jsonSchema(value: unknown): object {
  if (!isJsonObject(value)) return value as object;
  // It leads into the OpenAPI description, where only objects are.
  if (value.$ref !== undefined) return { type: 'object' };
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, each]) => each !== undefined)
      .map(([keyword, each]) => [keyword, keyword === 'default' ? each : jsonSchema(each)]),
  );
}

function orNull(schema: Record<string, unknown>): object {
  if (typeof schema.type !== 'string')
    return { ...schema, oneOf: [...(schema.oneOf as []), { type: 'null' }] };
  return {
    ...schema,
    type: [schema.type, 'null'],
    ...(Array.isArray(schema.enum) && { enum: [...new Set([...schema.enum, null])] }),
  };
}
