import type { Schemas } from '@typed-collections/client/api';

type Column = Schemas['ColumnView'];
type Index = Schemas['IndexView'];

/** What a schema file holds: everything about a collection that belongs under version control. */
export interface CollectionFile {
  readonly name: string;
  readonly description: string | null;
  readonly settings: Schemas['CollectionSettingsView'];
  readonly properties: Readonly<Record<string, Column>>;
  readonly indexes: readonly Index[];
  readonly uniques: readonly Index[];
}

/** What has to change on the service for a collection to be as its file says. */
export interface Difference {
  readonly name: string;
  readonly isNew: boolean;
  /** One line each, for people. */
  readonly lines: readonly string[];
  /** Columns to add or change. */
  readonly properties: Readonly<Record<string, Column>>;
  readonly indexesDiffer: boolean;
  readonly detailsDiffer: boolean;
  /** Columns of the service that the file lacks. The service does not remove columns. */
  readonly extraColumns: readonly string[];
}

/** The file of a collection, in an order that does not depend on the service. */
export function fileOf({
  name,
  description,
  settings,
  schema,
  indexes,
  uniques,
}: Schemas['CollectionView']): CollectionFile {
  return {
    ...{ name, description: description ?? null, settings, properties: schema },
    ...{ indexes: sorted(indexes), uniques: sorted(uniques) },
  };
}

/** Compares a file with the collection of the service; `undefined` if there is none. */
export function compare(file: CollectionFile, live: CollectionFile | undefined): Difference {
  const columns = Object.entries(file.properties);
  if (live === undefined) {
    const lines = [
      '+ collection',
      ...columns.map(([column, wanted]) => `+ ${column}: ${inWords(wanted)}`),
      ...listLines('indexes', file.indexes, []),
      ...listLines('uniques', file.uniques, []),
    ];
    return {
      ...{ name: file.name, isNew: true, lines, properties: file.properties },
      ...{ indexesDiffer: false, detailsDiffer: false, extraColumns: [] },
    };
  }
  const changed = columns.filter(([column, wanted]) => !isSame(live.properties[column], wanted));
  const extraColumns = Object.keys(live.properties).filter(column => !Object.hasOwn(file.properties, column));
  const lists = (['indexes', 'uniques'] as const).flatMap(kind => listLines(kind, file[kind], live[kind]));
  const details = [
    ...(file.description === live.description
      ? []
      : [`~ description: ${JSON.stringify(live.description)} → ${JSON.stringify(file.description)}`]),
    // Files from before a setting existed do not have it.
    ...(['max_records', 'ttl_days', 'history_days'] as const)
      .filter(
        setting => file.settings[setting] !== undefined && file.settings[setting] !== live.settings[setting],
      )
      .map(setting => `~ ${setting}: ${live.settings[setting]} → ${file.settings[setting]}`),
  ];
  const lines = [
    ...changed.map(([column, wanted]) => {
      const before = live.properties[column];
      return before === undefined
        ? `+ ${column}: ${inWords(wanted)}`
        : `~ ${column}: ${inWords(before)} → ${inWords(wanted)}`;
    }),
    ...extraColumns.map(column => `! ${column}: is not in the file. The service does not remove columns.`),
    ...lists,
    ...details,
  ];
  return {
    ...{ name: file.name, isNew: false, lines, properties: Object.fromEntries(changed), extraColumns },
    ...{ indexesDiffer: lists.length > 0, detailsDiffer: details.length > 0 },
  };
}

/** True if the service must change for this. */
export function needsChange({ isNew, properties, indexesDiffer, detailsDiffer }: Difference): boolean {
  return isNew || Object.keys(properties).length > 0 || indexesDiffer || detailsDiffer;
}

function isSame(before: Column | undefined, wanted: Column): boolean {
  return before?.type === wanted.type && before.nullable === wanted.nullable;
}

function inWords({ type, nullable }: Column): string {
  return nullable ? type : `${type}, not null`;
}

function listLines(kind: 'indexes' | 'uniques', wanted: readonly Index[], live: readonly Index[]): string[] {
  const one = kind === 'indexes' ? 'index' : 'unique';
  const [after, before] = [wanted, live].map(list => new Set(list.map(inList))) as [Set<string>, Set<string>];
  return [
    ...[...after].filter(each => !before.has(each)).map(each => `+ ${one} on ${each}`),
    ...[...before].filter(each => !after.has(each)).map(each => `- ${one} on ${each}`),
  ];
}

/** An index in words. Older versions of the service have only one kind. */
function inList({ properties, ...rest }: Index): string {
  const { kind } = rest as { kind?: string };
  return kind === 'search' ? `${properties.join(', ')} for searches` : properties.join(', ');
}

function sorted(indexes: readonly Index[]): Index[] {
  return [...indexes].sort((a, b) => (inList(a) < inList(b) ? -1 : 1));
}
