import type { JsonObject } from '../../../base/kernel/json.js';
import type { CollectionShape } from '../../../engine/storage/collection-shape.js';
import { layoutOf } from '../../../engine/storage/records/record-layout.js';
import { looksTyped } from './csv-values.js';

/** Most fields that `rounded` names. Lines of JSON may each have fields of their own. */
const MAX_ROUNDED = 100;

/** The texts of a field of a CSV file that has no column. */
export class UntypedField {
  /** True: all texts so far look like values of another type. Undefined: there were none. */
  isTyped: boolean | undefined;

  constructor(readonly name: string) {}

  /** An empty text says nothing about the type. */
  note(text: string): void {
    if (this.isTyped !== false && text !== '') this.isTyped = looksTyped(text);
  }
}

/** What an import does to fields of the file without refusing them. Its summary tells it. */
export class FieldNotes {
  private readonly ignorable: ReadonlySet<string>;
  // biome-ignore lint/plugin/bounded-maps: fields that the service sets
  private readonly ignored = new Set<string>();
  // biome-ignore lint/plugin/bounded-maps: the names that a summary has
  private readonly rounded = new Set<string>();
  private readonly untyped: UntypedField[] = [];

  constructor(shape: CollectionShape) {
    this.ignorable = layoutOf(shape).ignored;
  }

  /** Begins to note the texts of a field without a column; undefined for a field that is not imported. */
  untypedField(name: string): UntypedField | undefined {
    if (this.ignorable.has(name)) return undefined;
    const field = new UntypedField(name);
    this.untyped.push(field);
    return field;
  }

  /** Notes the fields of a record that is imported. `rounded`: those whose whole numbers lost digits. */
  noteRecord(record: JsonObject, rounded: readonly string[] = []): void {
    for (const name of this.ignorable) if (Object.hasOwn(record, name)) this.ignored.add(name);
    for (const name of rounded)
      if (this.rounded.size < MAX_ROUNDED && !this.ignorable.has(name)) this.rounded.add(name);
  }

  /** The fields of the summary. A list without names is absent. */
  summary(): object {
    const asText = this.untyped.filter(({ isTyped }) => isTyped).map(({ name }) => name);
    const lists = { ignored: [...this.ignored], as_text: asText, rounded: [...this.rounded] };
    return Object.fromEntries(Object.entries(lists).filter(([, names]) => names.length > 0));
  }
}
