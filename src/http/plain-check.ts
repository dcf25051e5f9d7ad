import { getMetadataStorage, type ValidationArguments, ValidationTypes } from 'class-validator';

type DtoClass = new () => object;
type Fields = Readonly<Record<string, unknown>>;

/** A property of a DTO: when it is judged at all, and by what. */
interface Rule {
  readonly property: string;
  readonly conditions: readonly ((object: Fields, value: unknown) => boolean)[];
  readonly checks: readonly ((object: Fields, value: unknown) => unknown)[];
}

const rulesOf = new WeakMap<DtoClass, ReadonlyMap<string, Rule> | null>();
const properties = new WeakMap<DtoClass, ReadonlySet<string>>();

/** The names that the properties of a DTO have. */
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
 * True when an instance is sure to be what its DTO asks for. class-validator looks up the rules of all classes for each
 * object; most requests are in order, and for those the validators of their own class, found once, are enough. False
 * says nothing: nested objects are not judged here, and what is wrong is for class-validator to tell.
 */
export function isPlainlyValid(dto: DtoClass, instance: Fields): boolean {
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

/** Null where a DTO has rules of other kinds than a plain validator or a condition. */
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
          const told: ValidationArguments = { targetName: dto.name, property, object, value, constraints };
          return instance.validate(value, told);
        });
      }
    } else if (type !== ValidationTypes.WHITELIST) return null;
  }
  return rules;
}
