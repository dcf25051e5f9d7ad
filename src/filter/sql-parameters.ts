/**
 * The parameters of one statement. Values and users' field names reach SQL only through here, so the text of
 * a statement depends on the filter's shape alone and can be prepared by its text.
 */
export class SqlParameters {
  readonly values: unknown[];

  /** `values`: the parameters that the statement already has, `$1` first. */
  constructor(values: unknown[] = []) {
    this.values = values;
  }

  /** Adds a value and returns its placeholder, such as `$3::bigint`. An array goes with a type such as `bigint[]`. */
  add(value: unknown, castType: string): string {
    this.values.push(value);
    return `$${this.values.length}::${castType}`;
  }
}
