import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  Max,
  Min,
  registerDecorator,
  ValidateIf,
  ValidateNested,
  type ValidationOptions,
} from 'class-validator';
import { utcInstant } from '../../base/kernel/instant.js';
import { isStorable } from '../../base/kernel/json.js';
import { Coerced, Nested, type Target } from './field-registry.js';

/**
 * Decorators for the properties of a request. Each one validates, reads query text, and documents. `optional`: the
 * property may be absent. `nullable`: null is a valid value.
 */
export interface FieldOptions {
  readonly description: string;
  readonly example?: unknown;
  readonly optional?: boolean;
  readonly nullable?: boolean;
  readonly default?: unknown;
}

/** A string of `min` to `max` characters (default 1 to 1,000), without NUL and lone surrogates. */
export function TextField(
  options: FieldOptions & { min?: number; max?: number; pattern?: RegExp; hint?: string; format?: string },
) {
  const { min = 1, max = 1000, pattern, hint, format } = options;
  const expects = `${min} to ${max} characters${hint ? ` of ${hint}` : ''}`;
  return field(
    options,
    { type: 'string', minLength: min, maxLength: max, pattern: pattern?.source, format },
    Check('text', `expects a text of ${expects}, without NUL`, value => {
      if (typeof value !== 'string' || value.includes('\0') || !value.isWellFormed()) return false;
      return value.length >= min && value.length <= max && (pattern === undefined || pattern.test(value));
    }),
  );
}

export function IntegerField(options: FieldOptions & { min?: number; max?: number }) {
  const { min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER } = options;
  const message = { message: `$property expects a whole number from ${min} to ${max}` };
  return field(
    options,
    { type: 'integer', minimum: options.min, maximum: options.max },
    Coerced(text => (/^-?\d{1,15}$/.test(text) ? Number(text) : text)),
    IsInt(message),
    Min(min, message),
    Max(max, message),
  );
}

export function FlagField(options: FieldOptions) {
  return field(
    options,
    { type: 'boolean' },
    Coerced(text => (text === 'true' ? true : text === 'false' ? false : text)),
    IsBoolean({ message: '$property expects true or false' }),
  );
}

export function ChoiceField(choices: readonly string[], options: FieldOptions) {
  return field(
    options,
    // OpenAPI 3.0: a nullable enum must list null.
    { type: 'string', enum: options.nullable ? ([...choices, null] as string[]) : [...choices] },
    IsIn(choices as string[], { message: `$property expects one of: ${choices.join(', ')}` }),
  );
}

/**
 * The operation name in the plan of an answer. It is accepted and ignored, so that clients can send a plan unchanged.
 */
export function PlanField(operation: string) {
  return ChoiceField([operation], {
    optional: true,
    description: 'Accepted so that the `plan` of an answer can be sent unchanged. Has no effect.',
  });
}

/** ISO 8601 date-time with offset. The property keeps the text that was sent. */
export function DateTimeField(options: FieldOptions) {
  return field(
    options,
    { type: 'string', format: 'date-time' },
    Check(
      'dateTime',
      'expects an ISO 8601 date-time with offset, like 2027-01-31T12:00:00Z',
      value => typeof value === 'string' && utcInstant(value) !== undefined,
    ),
  );
}

/** Any JSON. The feature validates it. In a query: JSON text. */
export function JsonField(
  options: FieldOptions & {
    schema?: ApiPropertyOptions;
    check?: (value: unknown) => boolean;
    expects?: string;
  },
) {
  const { check = () => true, expects = 'JSON' } = options;
  return field(
    options,
    options.schema ?? { type: 'object', additionalProperties: true },
    Coerced(parseQueryJson),
    Check('json', `expects ${expects}`, value => value !== MALFORMED && check(value)),
  );
}

/** A JSON object, at most 20 levels deep (settings, metadata). */
export function ObjectField(options: FieldOptions) {
  return JsonField({
    ...options,
    expects: 'a JSON object of at most 20 levels, without NUL',
    check: value =>
      typeof value === 'object' && value !== null && !Array.isArray(value) && isStorable(value, 20),
  });
}

/** A list of strings. `hint`: what they are, in the plural, for the message of a refusal. */
export function TextListField(
  options: FieldOptions & { min?: number; max?: number; pattern?: RegExp; hint?: string },
) {
  const { min = 0, max = 100, pattern, hint } = options;
  return field(
    options,
    { type: 'array', items: { type: 'string' }, minItems: min, maxItems: max },
    IsArray({ message: '$property expects a list' }),
    ArrayMinSize(min, { message: `$property expects at least ${min} entries` }),
    ArrayMaxSize(max, { message: `$property expects at most ${max} entries` }),
    Check('textList', `expects ${hint ?? 'texts'}`, value =>
      (value as unknown[]).every?.(
        each =>
          typeof each === 'string' &&
          each.length <= 1000 &&
          !each.includes('\0') &&
          each.isWellFormed() &&
          (pattern?.test(each) ?? true),
      ),
    ),
  );
}

/** An object with its own class, or a list of such objects. */
export function NestedField(
  type: () => Target,
  options: FieldOptions & { list?: boolean; min?: number; max?: number },
) {
  const { list = false, min = 0, max = 100 } = options;
  const shape = list
    ? [
        IsArray({ message: '$property expects a list' }),
        ArrayMinSize(min, { message: `$property expects at least ${min} entries` }),
        ArrayMaxSize(max, { message: `$property expects at most ${max} entries` }),
      ]
    : [
        Check(
          'object',
          'expects an object',
          value => typeof value === 'object' && value !== null && !Array.isArray(value),
        ),
      ];
  return field(
    options,
    // Swagger calls the function to get the class only if the function is named `type`.
    { type: { type: () => type() }.type as never, isArray: list },
    Nested({ type, list, max }),
    ...shape,
    ValidateNested({ each: list, message: `$property expects ${list ? 'a list of objects' : 'an object'}` }),
  );
}

const MALFORMED = Symbol('malformed JSON');

function field(
  options: FieldOptions,
  schema: ApiPropertyOptions,
  ...checks: PropertyDecorator[]
): PropertyDecorator {
  const { description, example, optional = false, nullable = false } = options;
  const documented = {
    ...schema,
    description,
    example,
    required: !optional,
    nullable: nullable || undefined,
    default: options.default,
  };
  return applyDecorators(
    ApiProperty(documented as ApiPropertyOptions),
    ValidateIf((_, value) => !(optional && value === undefined) && !(nullable && value === null)),
    ...checks,
  );
}

function Check(name: string, problem: string, accepts: (value: unknown) => boolean): PropertyDecorator {
  return (target, property) =>
    registerDecorator({
      name,
      target: target.constructor,
      propertyName: property as string,
      options: { message: `$property ${problem}` } as ValidationOptions,
      validator: { validate: accepts },
    });
}

function parseQueryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return MALFORMED;
  }
}
