import type { CollectionInfo } from '../../../api/collection-query.js';
import type { FieldType } from '../../values/cell-value.js';

/** A field that the grid can show as a column. */
export interface GridColumn {
  readonly name: string;
  readonly type: FieldType;
  /** Where the field comes from: the schema, the records themselves, or the service. */
  readonly origin: 'schema' | 'flexible' | 'system';
}

const SYSTEM: readonly GridColumn[] = [
  { name: '_id', type: 'text', origin: 'system' },
  { name: 'created_at', type: 'datetime', origin: 'system' },
  { name: 'updated_at', type: 'datetime', origin: 'system' },
];

/** Members of an answer that are not fields of the record. */
const NOT_FIELDS: ReadonlySet<string> = new Set(['_etag', '_cut', ...SYSTEM.map(({ name }) => name)]);

/** True for members of a record that the service sets. */
export function isSystemField(name: string): boolean {
  return NOT_FIELDS.has(name);
}

/** Flexible fields that a collection without columns shows until other columns are chosen. */
const MAX_FLEXIBLE_SHOWN = 20;

/** Every column that can be shown: of the schema, of the records that were read, of the service. */
export function allColumns(schema: CollectionInfo['schema'], seen: readonly string[]): GridColumn[] {
  const declared = Object.entries(schema).map(
    ([name, { type }]): GridColumn => ({ name, type: type as FieldType, origin: 'schema' }),
  );
  const flexible = seen
    .filter(name => !Object.hasOwn(schema, name) && !NOT_FIELDS.has(name))
    .map((name): GridColumn => ({ name, type: 'flexible', origin: 'flexible' }));
  return [...declared, ...flexible, ...SYSTEM];
}

/**
 * The columns to show, in order: the chosen ones; without a choice those of the schema, or, if it has none, the flexible
 * fields. A chosen name that no record has yet is a flexible field.
 */
export function shownColumns(
  all: readonly GridColumn[],
  chosen: readonly string[] | undefined,
): GridColumn[] {
  if (chosen !== undefined) {
    const byName = new Map(all.map(column => [column.name, column]));
    return [...new Set(chosen)].map(
      name => byName.get(name) ?? { name, type: 'flexible', origin: 'flexible' },
    );
  }
  const declared = all.filter(({ origin }) => origin === 'schema');
  if (declared.length > 0) return declared;
  const flexible = all.filter(({ origin }) => origin === 'flexible').slice(0, MAX_FLEXIBLE_SHOWN);
  return flexible.length > 0 ? flexible : SYSTEM.slice(0, 2);
}

/**
 * What the service leaves out of a page: declared columns and system fields that are not shown. Flexible fields stay, so
 * that the menu of columns can offer them. Of a collection without columns nothing is left out: which columns it has is
 * only known when its first page is there, which would be read twice.
 */
export function hiddenFields(
  all: readonly GridColumn[],
  shown: readonly GridColumn[],
): Record<string, 0> | undefined {
  if (all.every(({ origin }) => origin !== 'schema')) return undefined;
  const names = new Set(shown.map(({ name }) => name));
  const hidden = all.filter(
    ({ name, origin }) => origin !== 'flexible' && name !== '_id' && !names.has(name),
  );
  return hidden.length === 0 ? undefined : Object.fromEntries(hidden.map(({ name }) => [name, 0]));
}

/** The names with one of them moved by some places. */
export function moved(names: readonly string[], name: string, by: number): string[] {
  const from = names.indexOf(name);
  const to = Math.min(Math.max(from + by, 0), names.length - 1);
  const rest = names.filter(other => other !== name);
  return from < 0 ? [...names] : rest.toSpliced(to, 0, name);
}
