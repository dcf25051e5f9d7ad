import { Slices } from '../../../base/kernel/bounds/slices.js';
import { invalid, PlatformError } from '../../../base/kernel/errors.js';
import { isUuid } from '../../../base/kernel/id.js';
import { isJsonObject, type JsonObject } from '../../../base/kernel/json.js';
import { shortened } from '../../../base/kernel/text.js';
import { parseUpdate, type Update } from '../../../engine/filter/update/index.js';
import { allowedTags } from '../../../platform/http/entity-tags.js';
import { MAX_OPERATIONS } from './batch.dto.js';

interface InsertOperation {
  readonly kind: 'insert';
  readonly record: unknown;
}

/** An existing record that an operation names. */
interface NamedRecord {
  readonly id: string;
  /** The entity tags that `if_match` allows; undefined when it allows any. */
  readonly tags: readonly string[] | undefined;
}

export interface UpdateOperation extends NamedRecord {
  readonly kind: 'update';
  readonly update: Update;
}

export interface DeleteOperation extends NamedRecord {
  readonly kind: 'delete';
}

/** One operation of a batch. Its index in the list is its name in errors. */
export type BatchOperation = InsertOperation | UpdateOperation | DeleteOperation;

/** The operations of a request. Throws 400 that names the operation. Other requests run in between. */
export async function parseOperations(list: unknown): Promise<readonly BatchOperation[]> {
  if (!Array.isArray(list)) throw invalid(`operations: expects a list of 1 to ${MAX_OPERATIONS} operations`);
  if (list.length < 1 || list.length > MAX_OPERATIONS)
    throw invalid(`operations: expects 1 to ${MAX_OPERATIONS} operations, not ${list.length}`);
  const operations: BatchOperation[] = [];
  const slices = new Slices();
  for (const [index, sent] of list.entries()) {
    operations.push(operation(sent, `operations.${index}`));
    await slices.pause();
  }
  refuseRepeated(operations);
  return operations;
}

function operation(sent: unknown, where: string): BatchOperation {
  const [kind, ...others] = isJsonObject(sent) ? Object.keys(sent) : [];
  if (!isJsonObject(sent) || kind === undefined || others.length > 0) throw notAnOperation(where);
  const value = sent[kind];
  switch (kind) {
    case 'insert':
      return { kind, record: value };
    case 'update': {
      const fields = members(value, `${where}.update`, ['_id', 'if_match', 'update']);
      return { kind, ...named(fields, `${where}.update`), update: update(fields, `${where}.update.update`) };
    }
    case 'delete':
      return { kind, ...named(members(value, `${where}.delete`, ['_id', 'if_match']), `${where}.delete`) };
    default:
      throw notAnOperation(where);
  }
}

function notAnOperation(where: string): PlatformError {
  return invalid(`${where}: expects one of {"insert": …}, {"update": …} and {"delete": …}`);
}

function members(value: unknown, where: string, known: readonly string[]): JsonObject {
  if (!isJsonObject(value)) throw invalid(`${where}: expects an object with ${known.join(', ')}`);
  for (const name in value)
    if (!known.includes(name)) throw invalid(`${where}.${shortened(name)}: is not known here`);
  return value;
}

function named({ _id: id, if_match: tags }: JsonObject, where: string): NamedRecord {
  if (!isUuid(id)) throw invalid(`${where}._id: expects the id of a record, a UUID`);
  if (tags !== undefined && typeof tags !== 'string')
    throw invalid(`${where}.if_match: expects the ETag of the record as text`);
  return { id: id.toLowerCase(), tags: at(`${where}.if_match`, () => allowedTags(tags)) };
}

function update({ update: sent }: JsonObject, where: string): Update {
  return at(where, () => parseUpdate(sent));
}

/** Runs a parser; its errors name the place. */
function at<T>(where: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    throw new PlatformError(
      error.code,
      `${where}: ${error.message.replace(/^If-Match: /, '')}`,
      error.details,
    );
  }
}

/** The result of two operations on one record would depend on their order. */
function refuseRepeated(operations: readonly BatchOperation[]): void {
  const seen = new Map<string, number>();
  operations.forEach((each, index) => {
    if (each.kind === 'insert') return;
    const before = seen.get(each.id);
    if (before !== undefined)
      throw invalid(
        `operations.${index}.${each.kind}._id: operations.${before} names the same record. Send one operation for each record.`,
      );
    seen.set(each.id, index);
  });
}
