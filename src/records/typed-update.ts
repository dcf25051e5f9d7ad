import { type Operation, rootsOf, type Update } from '../filter/update/index.js';
import { invalid } from '../kernel/errors.js';
import { fittingValue, type KnownColumn, type RecordLayout } from '../storage/record-layout.js';

/**
 * The update as this collection understands it: without system fields, operands in the form that columns store. Throws
 * 400 for what can never fit a column, naming the column and its type.
 */
export function typedUpdate(update: Update, layout: RecordLayout, now: Date): Update {
  const operations = update.operations
    .filter(operation => !rootsOf(operation).some(root => layout.ignores(root)))
    .map(operation =>
      operation.path.length > 1
        ? operation
        : typed(operation, layout.column(operation.path[0] as string), now),
    );
  return { operations };
}

function typed(operation: Operation, column: KnownColumn | undefined, now: Date): Operation {
  const { kind, path } = operation;
  if (kind === 'currentDate') return typed({ kind: 'set', path, value: dateFor(column, now) }, column, now);
  if (column === undefined) return operation;
  switch (kind) {
    case 'set':
    case 'setOnInsert':
      return { ...operation, value: fittingValue(column, operation.value) };
    case 'min':
    case 'max':
      // A value of another type is compared by its type, as everywhere.
      return { ...operation, value: column.type.accept(operation.value) ?? operation.value };
    case 'inc':
    case 'mul':
      refuseUnless(column.type.accept(0) !== undefined, kind, 'a number', column);
      return operation;
    case 'unset':
    case 'rename':
      return operation;
    default:
      refuseUnless(column.type.accept([]) !== undefined, kind, 'an array', column);
      return operation;
  }
}

/** The day for a column that takes no instant. */
function dateFor(column: KnownColumn | undefined, now: Date): string {
  const instant = now.toISOString();
  const day = instant.slice(0, 10);
  return column?.type.accept(instant) === undefined && column?.type.accept(day) !== undefined ? day : instant;
}

function refuseUnless(fits: boolean, operator: string, needs: string, { name, type }: KnownColumn): void {
  if (!fits) throw invalid(`${name}: $${operator} needs ${needs}, the column is of the type ${type.name}`);
}
