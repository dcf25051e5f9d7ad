import type { ArgumentMetadata, PipeTransform } from '@nestjs/common';
import {
  getMetadataStorage,
  type ValidationArguments,
  type ValidationError,
  ValidationTypes,
  validateSync,
} from 'class-validator';
import { invalid, type PlatformError } from '../../base/kernel/errors.js';
import { isJsonObject } from '../../base/kernel/json.js';
import { shortened } from '../../base/kernel/text.js';
import { coercionOf, nestedTypeOf } from './field-registry.js';

/** The class of a body or of a query. */
export type DtoClass = new () => object;

interface Problem {
  readonly field: string;
  readonly problem: string;
}

const PLAIN_TYPES = new Set<unknown>([String, Number, Boolean, Object, Array, Date, undefined]);

/** The class itself; undefined for a type without properties of its own, whose values are not validated. */
export function dtoOf(type: unknown): DtoClass | undefined {
  return PLAIN_TYPES.has(type) ? undefined : (type as DtoClass);
}

/** Maximum number of problems in one error (contract, "Sizes"). */
const MAX_PROBLEMS = 20;

/**
 * Validates bodies and queries against their DTO class. Copies properties one level deep instead of transforming the
 * whole tree, because records in a body have validators made for their collection, not decorators.
 */
export class ValidationPipe implements PipeTransform {
  transform(value: unknown, { metatype, type }: ArgumentMetadata): unknown {
    const dto = dtoOf(metatype);
    return dto === undefined ? value : validated(dto, value, type === 'query');
  }
}

/** An instance of the DTO with the input. Throws 400 with the wrong fields, at most 20 of them. */
export function validated<T extends object>(dto: new () => T, input: unknown, isQuery = false): T {
  const unknown: Problem[] = [];
  const instance = instanceOf(dto, input, { isQuery, path: '', unknown }) as T;
  if (unknown.length === 0 && isPlainlyValid(dto, instance as Record<string, unknown>)) return instance;
  const errors = validateSync(instance, { forbidUnknownValues: false, stopAtFirstError: true });
  const found = [...unknown, ...errors.flatMap(error => problems(error, ''))];
  if (found.length === 0) return instance;
  throw refusal(found);
}

function refusal(found: readonly Problem[]): PlatformError {
  const named = found.slice(0, MAX_PROBLEMS);
  const problems = named.map(({ field, problem }) => `${field}: ${problem}`);
  return invalid([...problems, ...(named.length < found.length ? ['and more'] : [])].join('; '), named);
}

/** The position of an object in a body or query, and the unknown properties found so far. */
interface Place {
  readonly isQuery: boolean;
  readonly path: string;
  readonly unknown: Problem[];
}

/**
 * Copies only the properties of the DTO. Others could shadow properties that every object has. The search for unknown
 * properties stops when an error has enough of them.
 */
function instanceOf(dto: DtoClass, input: unknown, place: Place): unknown {
  const { isQuery, unknown } = place;
  if (!isJsonObject(input)) throw invalid(`The ${isQuery ? 'query' : 'body'} must be a JSON object.`);
  const properties = propertiesOf(dto);
  const instance = new dto() as Record<string, unknown>;
  for (const name in input) {
    if (unknown.length > MAX_PROBLEMS) break;
    const value: unknown = input[name];
    if (!properties.has(name)) {
      unknown.push({ field: under(place.path, shortened(name)), problem: 'is not a known property' });
      continue;
    }
    if (isQuery && Array.isArray(value)) throw invalid(`${name}: must be sent only once`);
    instance[name] =
      isQuery && typeof value === 'string' ? coerced(dto, name, value) : nestedValue(dto, name, value, place);
  }
  return instance;
}

function coerced(dto: DtoClass, name: string, text: string): unknown {
  const coerce = coercionOf(dto, name);
  return coerce === undefined ? text : coerce(text);
}

function nestedValue(dto: DtoClass, name: string, value: unknown, place: Place): unknown {
  const nested = nestedTypeOf(dto, name);
  if (nested === undefined || typeof value !== 'object' || value === null) return value;
  const type = nested.type as DtoClass;
  const path = under(place.path, name);
  if (!Array.isArray(value)) return instanceOf(type, value, { ...place, path });
  // Refused here because class-validator would validate each entry: there may be millions, also in a list in the list.
  if (!nested.list) throw refusal([{ field: path, problem: 'expects an object' }]);
  if (value.length > nested.max)
    throw refusal([{ field: path, problem: `expects at most ${nested.max} entries` }]);
  if (!value.every(isJsonObject)) throw refusal([{ field: path, problem: 'expects a list of objects' }]);
  return value.map((each, index) => instanceOf(type, each, { ...place, path: `${path}.${index}` }));
}

function problems(error: ValidationError, path: string): Problem[] {
  const field = under(path, error.property);
  const own = Object.values(error.constraints ?? {}).map(message => ({
    field,
    problem: message.replace(`${error.property} `, ''),
  }));
  return [...own, ...(error.children ?? []).flatMap(child => problems(child, field))];
}

function under(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

type Fields = Readonly<Record<string, unknown>>;

/** A property of a DTO: the conditions under which it is validated, and its validators. */
interface Rule {
  readonly property: string;
  readonly conditions: readonly ((object: Fields, value: unknown) => boolean)[];
  readonly checks: readonly ((object: Fields, value: unknown) => unknown)[];
}

const rulesOf = new WeakMap<DtoClass, ReadonlyMap<string, Rule> | null>();
const properties = new WeakMap<DtoClass, ReadonlySet<string>>();

/** The names of a DTO's properties. */
export function propertiesOf(dto: DtoClass): ReadonlySet<string> {
  let names = properties.get(dto);
  if (names === undefined) {
    const metadata = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
    names = new Set(metadata.map(({ propertyName }) => propertyName));
    properties.set(dto, names);
  }
  return names;
}

/**
 * True when an instance is certainly valid. class-validator looks up the rules of all classes for each object; this
 * check uses the validators of the instance's own class, which are looked up once. When it returns false,
 * class-validator must decide: this check does not report problems.
 */
function isPlainlyValid(dto: DtoClass, instance: Fields): boolean {
  let rules = rulesOf.get(dto);
  if (rules === undefined) {
    rules = rulesFor(dto);
    rulesOf.set(dto, rules);
  }
  if (rules === null) return false;
  for (const { property, conditions, checks } of rules.values()) {
    const value = instance[property];
    if (!conditions.every(applies => applies(instance, value))) continue;
    if (!checks.every(check => check(instance, value) === true)) return false;
  }
  return true;
}

/** Null when a DTO has rules that are neither plain validators nor conditions. */
function rulesFor(dto: DtoClass): ReadonlyMap<string, Rule> | null {
  const storage = getMetadataStorage();
  const rules = new Map<
    string,
    { property: string; conditions: Rule['conditions'][number][]; checks: Rule['checks'][number][] }
  >();
  for (const metadata of storage.getTargetValidationMetadatas(dto, '', false, false)) {
    const { propertyName: property, type, each, constraints } = metadata;
    const rule = rules.get(property) ?? { property, conditions: [], checks: [] };
    rules.set(property, rule);
    if (type === ValidationTypes.CONDITIONAL_VALIDATION) {
      rule.conditions.push(constraints[0]);
    } else if (type === ValidationTypes.CUSTOM_VALIDATION && !each) {
      for (const { async, instance } of storage.getTargetValidatorConstraints(metadata.constraintCls)) {
        if (async) return null;
        rule.checks.push((object, value) => {
          const checked: ValidationArguments = { targetName: dto.name, property, object, value, constraints };
          return instance.validate(value, checked);
        });
      }
    } else if (type === ValidationTypes.NESTED_VALIDATION) {
      rule.checks.push((_, value) => isNestedValid(value));
    } else if (type !== ValidationTypes.WHITELIST) return null;
  }
  return rules;
}

/** `isPlainlyValid` for an object or a list of objects that `nestedValue` has made. */
function isNestedValid(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  const objects: readonly unknown[] = Array.isArray(value) ? value : [value];
  return objects.every(
    each =>
      typeof each === 'object' &&
      each !== null &&
      isPlainlyValid(Object.getPrototypeOf(each).constructor, each as Fields),
  );
}
