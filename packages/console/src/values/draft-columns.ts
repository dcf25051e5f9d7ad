/** The types that a column can have. */
export const COLUMN_TYPES = [
  'text',
  'integer',
  'double',
  'boolean',
  'date',
  'datetime',
  'json',
  'array',
] as const;

export type ColumnType = (typeof COLUMN_TYPES)[number];

/** A column in the form, where its name may still be wrong. */
export interface DraftColumn {
  /** Identifies the row of the form. */
  readonly key: number;
  readonly name: string;
  readonly type: ColumnType;
  readonly nullable: boolean;
}

type Properties = Readonly<Record<string, { readonly type: string; readonly nullable?: boolean }>>;

/** The columns of a suggested schema. */
export function drafted(properties: Properties): readonly DraftColumn[] {
  return Object.entries(properties).map(([name, { type, nullable = true }], key) => ({
    key,
    name,
    type: COLUMN_TYPES.find(each => each === type) ?? 'json',
    nullable,
  }));
}

/** A column more, for a value that the suggestion lacks. */
export function withNew(columns: readonly DraftColumn[]): readonly DraftColumn[] {
  const key = Math.max(-1, ...columns.map(column => column.key)) + 1;
  return [...columns, { key, name: '', type: 'text', nullable: true }];
}

export function changed(
  columns: readonly DraftColumn[],
  key: number,
  part: Partial<DraftColumn>,
): readonly DraftColumn[] {
  return columns.map(column => (column.key === key ? { ...column, ...part } : column));
}

/** Why a name cannot be used; undefined if it can. The service checks the rest. */
export function problemOf(
  columns: readonly DraftColumn[],
  { key, name }: DraftColumn,
): 'empty' | 'twice' | undefined {
  if (name.trim() === '') return 'empty';
  return columns.some(other => other.key !== key && other.name.trim() === name.trim()) ? 'twice' : undefined;
}

/** The columns in the form that createCollection takes. */
export function propertiesOf(
  columns: readonly DraftColumn[],
): Record<string, { type: ColumnType; nullable: boolean }> {
  return Object.fromEntries(columns.map(({ name, type, nullable }) => [name.trim(), { type, nullable }]));
}
