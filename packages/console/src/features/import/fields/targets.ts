import { headerColumns } from '@typed-collections/client';
import type { ColumnType } from '../../../values/draft-columns.js';
import { SYSTEM_FIELDS } from '../../../values/field-types.js';
import type { Target } from '../file/slices.js';

type Schema = Readonly<Record<string, { readonly type: ColumnType }>>;

/** For each field of a file the name that it gets in the collection; null leaves it out. */
export type TargetNames = readonly (string | null)[];

/** Fields go to the columns that they name, but for case, accents and punctuation. Others keep their names. */
export function proposedNames(names: readonly string[], schema: Schema): TargetNames {
  const found = headerColumns(names, Object.keys(schema));
  return names.map(name => found[name] ?? (isOwnName(name) ? name : null));
}

/** The service sets its own fields, and refuses names with a dot or with $ at the beginning. */
function isOwnName(name: string): boolean {
  return !Object.hasOwn(SYSTEM_FIELDS, name) && !name.startsWith('$') && !name.includes('.');
}

/** The targets with the types of their columns. */
export function typedTargets(chosen: TargetNames, schema: Schema): readonly (Target | null)[] {
  return chosen.map(name =>
    name === null ? null : { name, type: Object.hasOwn(schema, name) ? schema[name]?.type : undefined },
  );
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
