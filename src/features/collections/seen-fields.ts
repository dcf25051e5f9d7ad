import { isJsonObject } from '../../base/kernel/json.js';
import {
  listedFields,
  type ReachedFields,
  reachedFields,
  reaches,
} from '../../engine/rules/reached-fields.js';
import { type IndexDefinition, wholeOf } from '../../engine/storage/collection-shape.js';
import type { CallerRole } from './collection-rights.js';

/** Which fields a caller reaches in the records that it sees or writes. */
export interface AccessView {
  readonly restricted: boolean;
  readonly read_fields: string[] | null;
  readonly write_fields: string[] | null;
}

const UNRESTRICTED: AccessView = { restricted: false, read_fields: null, write_fields: null };

export function accessView({ restrictions, collection }: CallerRole): AccessView {
  if (restrictions === undefined) return UNRESTRICTED;
  const { read, write } = reachedFields(restrictions);
  const columns = Object.keys(wholeOf(collection).columns);
  return {
    restricted: true,
    read_fields: listedFields(read, columns),
    write_fields: listedFields(write, columns),
  };
}

/** Decides which parts of a collection a caller is shown: those that name no field that it neither sees nor writes. */
export class ShownParts {
  private readonly fields: ReachedFields | undefined;
  private readonly columns: object;

  constructor({ restrictions, collection }: CallerRole) {
    this.fields = restrictions && reachedFields(restrictions);
    this.columns = wholeOf(collection).columns;
  }

  field(path: string): boolean {
    return this.fields === undefined || reaches(this.fields, path.split('.')[0] as string);
  }

  index({ properties }: IndexDefinition): boolean {
    return properties.every(property => this.field(property));
  }

  /**
   * True for a chart or a view. All of its texts are compared with the columns. Where it names a field, the field must be
   * seen, because a hidden field need not be a column.
   */
  definition(part: unknown): boolean {
    return this.fields === undefined || this.isShown(part);
  }

  private isShown(part: unknown): boolean {
    if (typeof part === 'string') return !this.isHiddenColumn(part);
    if (Array.isArray(part)) return part.every(item => this.isShown(item));
    if (!isJsonObject(part)) return true;
    return Object.entries(part).every(([name, value]) => {
      if (this.isHiddenColumn(name)) return false;
      if (FILTERS.has(name)) return this.isShownFilter(value);
      return NAMES.has(name) ? this.areShownNames(value) : this.isShown(value);
    });
  }

  private areShownNames(names: unknown): boolean {
    if (typeof names === 'string') return this.field(names);
    if (Array.isArray(names)) return names.every(name => this.areShownNames(name));
    return this.isShown(names);
  }

  private isShownFilter(filter: unknown): boolean {
    if (Array.isArray(filter)) return filter.every(each => this.isShownFilter(each));
    if (!isJsonObject(filter)) return true;
    return Object.entries(filter).every(([name, value]) =>
      name.startsWith('$') ? this.isShownFilter(value) : this.field(name) && this.isShown(value),
    );
  }

  private isHiddenColumn(text: string): boolean {
    const [name] = text.split('.') as [string];
    return Object.hasOwn(this.columns, name) && !this.field(name);
  }
}

/** Members of charts that name fields, as a text or in a list. */
const NAMES = new Set(['field', 'fields', 'input_field', 'group_by']);
/** Members of charts whose own members are fields, or operators with filters. */
const FILTERS = new Set(['filter', 'match']);
