/** A record with a value that does not fit the columns that are asked for. */
export interface Offender {
  readonly _id: string;
  readonly column: string;
  readonly problem: string;
}

/** Values that several records have, where a unique constraint is asked for. */
export interface Duplicate {
  readonly properties: readonly string[];
  readonly values: Readonly<Record<string, unknown>>;
  readonly count: number;
}

/** The records that a refusal of the service names; none if it names something else. */
export function offendersOf(details: unknown): readonly Offender[] {
  return list(details).filter(
    (each): each is Record<string, unknown> & Offender =>
      isText(each._id) && isText(each.column) && isText(each.problem),
  );
}

/** The equal values that a refusal of the service names; none if it names something else. */
export function duplicatesOf(details: unknown): readonly Duplicate[] {
  return list(details).filter(
    (each): each is Record<string, unknown> & Duplicate =>
      Array.isArray(each.properties) && isObject(each.values) && typeof each.count === 'number',
  );
}

function list(details: unknown): readonly Record<string, unknown>[] {
  return Array.isArray(details) ? details.filter(isObject) : [];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
