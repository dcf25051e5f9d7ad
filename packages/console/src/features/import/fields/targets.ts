import { headerColumns } from '@typed-collections/client';
import { SYSTEM_FIELDS } from '../../../values/field-types.js';
import type { TargetNames } from '../file/plan.js';

/** Fields go to the columns that they name, but for case, accents and punctuation. Others keep their names. */
export function proposedNames(names: readonly string[], schema: object): TargetNames {
  const found = headerColumns(names, Object.keys(schema));
  return names.map(name => found[name] ?? (isOwnName(name) ? name : null));
}

/** The service sets its own fields, and refuses names with a dot or with $ at the beginning. */
function isOwnName(name: string): boolean {
  return !Object.hasOwn(SYSTEM_FIELDS, name) && !name.startsWith('$') && !name.includes('.');
}

/** The columns that every record needs and no field goes to. */
export function missingColumns(
  chosen: TargetNames,
  schema: Readonly<Record<string, { readonly nullable: boolean }>>,
): readonly string[] {
  return Object.entries(schema).flatMap(([name, { nullable }]) =>
    nullable || chosen.includes(name) ? [] : [name],
  );
}

/** The first name that two fields would get; undefined if each gets another one. */
export function doubledName(chosen: TargetNames): string | undefined {
  const names = chosen.filter(name => name !== null);
  return names.find((name, index) => names.indexOf(name) < index);
}
