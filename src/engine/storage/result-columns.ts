import { joined, type Sql } from '../../base/sql/index.js';
import type { Rows } from '../../platform/database/statements.js';

type Row = Rows[number];

/** The columns of a result: SQL of each member of `T`. A column that is not needed is undefined. */
export class ResultColumns<T extends object> {
  /** The select list. */
  readonly list: Sql;
  private readonly names: (keyof T)[];

  constructor(
    columns: { readonly [Name in keyof T]: Sql | (undefined extends T[Name] ? undefined : never) },
  ) {
    this.names = (Object.keys(columns) as (keyof T)[]).filter(name => columns[name] !== undefined);
    this.list = joined(this.names.map(name => columns[name] as Sql));
  }

  /** The place of a column in a row. */
  indexOf(name: keyof T): number {
    return this.names.indexOf(name);
  }

  value<Name extends keyof T>(row: Row, name: Name): T[Name] {
    return row[this.names.indexOf(name)] as T[Name];
  }

  /** All values of a row. */
  object(row: Row): T {
    const object: Partial<Record<keyof T, unknown>> = {};
    for (let at = 0; at < this.names.length; at++) object[this.names[at] as keyof T] = row[at];
    return object as T;
  }
}
