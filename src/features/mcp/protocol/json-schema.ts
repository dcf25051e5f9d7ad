import { isJsonObject } from '../../../base/kernel/json.js';

/** A class whose properties are documented for OpenAPI. */
export type Documented<T extends object = object> = new () => T;

/** JSON Schema 2020-12 of an object. */
export interface ObjectSchema {
  readonly [keyword: string]: unknown;
  readonly type: 'object';
  readonly properties: Readonly<Record<string, object>>;
  readonly required: string[];
}

/** Keys of the metadata in which @nestjs/swagger stores the options of `@ApiProperty`. */
const NAMES = 'swagger/apiModelPropertiesArray';
const PROPERTY = 'swagger/apiModelProperties';

interface PropertyMetadata {
  readonly type?: unknown;
  readonly isArray?: boolean;
  readonly required?: boolean;
  /** Stands for `required` on properties of type object. */
  readonly selfRequired?: boolean;
  readonly nullable?: boolean;
  readonly example?: unknown;
  readonly [keyword: string]: unknown;
}

/**
 * The JSON Schema of a class, from the decorators that OpenAPI uses too. OpenAPI 3.0 has other keywords for null,
 * examples and required properties. Required properties come first.
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
  // An arrow function returns the class, which may be declared later.
  const documented = type.prototype === undefined ? type() : type;
  return schemaOf(documented);
}

/** Translates nested schemas. */
function jsonSchema(value: unknown): object {
  if (!isJsonObject(value)) return value as object;
  // A reference leads into the OpenAPI document, which tools do not have. All referenced schemas are objects.
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
