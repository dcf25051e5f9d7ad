import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { type ValidationError, validateSync } from 'class-validator';
import { invalid } from '../kernel/errors.js';
import { coercionOf, nestedTypeOf } from './field.decorators.js';
import { isPlainlyValid } from './plain-check.js';

type DtoClass = new () => object;

const PLAIN_TYPES = new Set<unknown>([String, Number, Boolean, Object, Array, Date]);

/** No DTO has such a property, and on an instance either would hide its class. */
const MISLEADING = ['__proto__', 'constructor'];

/**
 * Checks bodies and queries against their DTO class. It copies properties one level deep instead of transforming
 * the whole tree: records inside a body are judged by validators made for their collection, not by decorators.
 */
@Injectable()
export class ValidationPipe implements PipeTransform {
  transform(value: unknown, { metatype, type }: ArgumentMetadata): unknown {
    if (metatype === undefined || PLAIN_TYPES.has(metatype) || type === 'custom' || type === 'param')
      return value;
    return validated(metatype as DtoClass, value, type === 'query');
  }
}

/** An instance of the DTO holding the input, or 400 naming every field that is wrong. */
export function validated<T extends object>(dto: new () => T, input: unknown, isQuery = false): T {
  const instance = instanceOf(dto, input, isQuery) as T;
  if (isPlainlyValid(dto, instance as Record<string, unknown>)) return instance;
  const errors = validateSync(instance, {
    whitelist: true,
    forbidNonWhitelisted: true,
    forbidUnknownValues: false,
    stopAtFirstError: true,
  });
  if (errors.length === 0) return instance;
  const details = errors.flatMap(error => problems(error, ''));
  throw invalid(details.map(({ field, problem }) => `${field}: ${problem}`).join('; '), details);
}

function instanceOf(dto: DtoClass, input: unknown, isQuery: boolean): unknown {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw invalid(`The ${isQuery ? 'query' : 'body'} must be a JSON object.`);
  }
  const misleading = MISLEADING.find(name => Object.hasOwn(input, name));
  if (misleading !== undefined) throw invalid(`${misleading}: is not known here`);
  const instance = new dto() as Record<string, unknown>;
  for (const [name, value] of Object.entries(input)) {
    if (isQuery && Array.isArray(value)) throw invalid(`${name}: is sent more than once`);
    instance[name] =
      isQuery && typeof value === 'string' ? coerced(dto, name, value) : nestedValue(dto, name, value);
  }
  return instance;
}

function coerced(dto: DtoClass, name: string, text: string): unknown {
  const coerce = coercionOf(dto, name);
  return coerce === undefined ? text : coerce(text);
}

function nestedValue(dto: DtoClass, name: string, value: unknown): unknown {
  const type = nestedTypeOf(dto, name) as DtoClass | undefined;
  if (type === undefined || typeof value !== 'object' || value === null) return value;
  return Array.isArray(value)
    ? value.map(each => (typeof each === 'object' && each !== null ? instanceOf(type, each, false) : each))
    : instanceOf(type, value, false);
}

function problems(error: ValidationError, path: string): { field: string; problem: string }[] {
  const field = path === '' ? error.property : `${path}.${error.property}`;
  const own = Object.entries(error.constraints ?? {}).map(([name, message]) => ({
    field,
    problem: name === 'whitelistValidation' ? 'is not known here' : message.replace(`${error.property} `, ''),
  }));
  return [...own, ...(error.children ?? []).flatMap(child => problems(child, field))];
}
