import type { Operation, Update } from '../filter/update/index.js';
import type { JsonObject, JsonValue } from '../kernel/json.js';
import type { ColumnChange, FieldChanges } from '../storage/change.js';
import { fittingValue, type KnownColumn, type RecordLayout } from '../storage/record-layout.js';

/**
 * A typed update as expressions of SQL, or undefined where those would not say exactly what the operators do: then it
 * needs the documents. Top-level fields only.
 */
export function sqlChanges(update: Update, layout: RecordLayout): FieldChanges | undefined {
  const columns: ColumnChange[] = [];
  const flexible: JsonObject = {};
  const removed: string[] = [];
  for (const operation of update.operations) {
    if (operation.kind === 'setOnInsert') continue;
    if (operation.path.length > 1) return undefined;
    const name = operation.path[0] as string;
    const column = layout.column(name);
    const change = column && columnChange(operation, column);
    if (change !== undefined) columns.push({ column: name, ...change });
    else if (column !== undefined) return undefined;
    else if (operation.kind === 'set') flexible[name] = operation.value;
    else if (operation.kind === 'unset') removed.push(name);
    else return undefined;
  }
  return { columns, flexible, removed };
}

function columnChange(operation: Operation, column: KnownColumn): Omit<ColumnChange, 'column'> | undefined {
  const { kind } = operation;
  switch (kind) {
    case 'set':
      return { change: 'set', value: operation.value };
    case 'unset':
      return { change: 'set', value: fittingValue(column, null) };
    case 'inc':
    case 'mul':
      return isNumberOf(column, operation.number) ? { change: kind, value: operation.number } : undefined;
    case 'min':
    case 'max':
      return isNumberOf(column, operation.value) ? { change: kind, value: operation.value } : undefined;
    default:
      return undefined;
  }
}

function isNumberOf({ type }: KnownColumn, value: JsonValue): boolean {
  return type.family === 'scalar' && typeof value === 'number' && type.accept(value) !== undefined;
}
