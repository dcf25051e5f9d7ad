import { invalid } from '../../../base/kernel/errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../base/kernel/json.js';
import { shortened } from '../../../base/kernel/text.js';

const MAX_DEPTH = 5;
const MAX_TERMS = 50;
const MAX_LIST = 100;
const MAX_TEXT = 1000;
const PATH = /^[A-Za-z_]\w{0,63}(\.\w{1,64}){0,7}$/;
/** Names that every object inherits. */
const INHERITED = new Set(['__proto__', 'constructor', 'prototype']);

type Accepts = (operand: unknown) => boolean;

const scalar: Accepts = value => value === null || typeof value === 'boolean' || comparable(value);
const comparable: Accepts = value => typeof value === 'number' || isText(value);
const list: Accepts = value => Array.isArray(value) && value.length <= MAX_LIST && value.every(scalar);

const PLAIN = 'a string, a number, a boolean or null';

/**
 * The operators and their operands, as in MongoDB's manual. `$regex` is left out because it could block the process,
 * and so is every operator that runs code.
 */
const OPERATORS: Readonly<Record<string, { readonly accepts: Accepts; readonly expects: string }>> = {
  $eq: { accepts: scalar, expects: PLAIN },
  $ne: { accepts: scalar, expects: PLAIN },
  $gt: { accepts: comparable, expects: 'a string or a number' },
  $gte: { accepts: comparable, expects: 'a string or a number' },
  $lt: { accepts: comparable, expects: 'a string or a number' },
  $lte: { accepts: comparable, expects: 'a string or a number' },
  $in: { accepts: list, expects: `a list of at most ${MAX_LIST} plain values` },
  $nin: { accepts: list, expects: `a list of at most ${MAX_LIST} plain values` },
  $all: { accepts: list, expects: `a list of at most ${MAX_LIST} plain values` },
  $size: { accepts: value => Number.isSafeInteger(value) && Number(value) >= 0, expects: 'a whole number' },
  $exists: { accepts: value => typeof value === 'boolean', expects: 'true or false' },
};

/** Operators that take the place of a field. */
const LOGICAL = ['$and', '$or', '$nor'];

/**
 * Throws 400 unless the conditions are a MongoDB query within the limits. It may use only the operators and placeholders
 * that are listed here.
 */
export function assertConditions(conditions: unknown, where: string): void {
  let terms = 0;
  query(conditions, where, 1);

  function countTerm(): void {
    if (++terms > MAX_TERMS) throw invalid(`${where}: has more than ${MAX_TERMS} conditions`);
  }

  function query(value: unknown, at: string, depth: number): void {
    if (!isJsonObject(value)) throw invalid(`${at}: expects a MongoDB query, which is an object`);
    if (depth > MAX_DEPTH) throw invalid(`${at}: is nested deeper than ${MAX_DEPTH} levels`);
    for (const [name, condition] of Object.entries(value)) {
      if (name.startsWith('$')) logical(name, condition, `${at}.${shortened(name)}`, depth);
      else field(name, condition, `${at}.${shortened(name)}`, depth);
    }
  }

  function field(path: string, condition: unknown, at: string, depth: number): void {
    countTerm();
    if (!PATH.test(path) || path.split('.').some(part => INHERITED.has(part))) {
      throw invalid(`${at}: is not a valid path of a field`);
    }
    if (isJsonObject(condition)) operators(condition, at, depth);
    else if (!scalar(condition)) throw invalid(`${at}: expects ${PLAIN}, or an object of operators`);
    else placeholders(condition, at);
  }

  function logical(name: string, queries: unknown, at: string, depth: number): void {
    if (!LOGICAL.includes(name)) throw invalid(`${at}: this operator is not supported in conditions`);
    if (!Array.isArray(queries) || queries.length === 0)
      throw invalid(`${at}: expects a non-empty list of queries`);
    for (const [index, each] of queries.entries()) {
      countTerm();
      query(each, `${at}.${index}`, depth + 1);
    }
  }

  function operators(value: object, at: string, depth: number): void {
    const entries = Object.entries(value);
    if (entries.length === 0) throw invalid(`${at}: expects at least one operator`);
    for (const [name, operand] of entries) {
      countTerm();
      if (name === '$elemMatch') elemMatch(operand, `${at}.${shortened(name)}`, depth);
      else operator(name, operand, `${at}.${shortened(name)}`);
    }
  }

  function operator(name: string, operand: unknown, at: string): void {
    const known = Object.hasOwn(OPERATORS, name) ? OPERATORS[name] : undefined;
    if (known === undefined) throw invalid(`${at}: this operator is not supported in conditions`);
    if (!known.accepts(operand)) throw invalid(`${at}: expects ${known.expects}`);
    placeholders(operand, at);
  }

  function elemMatch(operand: unknown, at: string, depth: number): void {
    if (depth >= MAX_DEPTH) throw invalid(`${at}: is nested deeper than ${MAX_DEPTH} levels`);
    const ofElements = isJsonObject(operand) && Object.keys(operand).some(name => name.startsWith('$'));
    if (ofElements) operators(operand, at, depth + 1);
    else query(operand, at, depth + 1);
  }
}

function placeholders(value: unknown, at: string): void {
  for (const each of Array.isArray(value) ? value : [value]) {
    const unknown = typeof each === 'string' ? unknownPlaceholder(each) : undefined;
    if (unknown !== undefined)
      throw invalid(
        `${at}: expects only the placeholders ${PLACEHOLDERS.map(name => `\${${name}}`).join(', ')}`,
      );
  }
}

function isText(value: unknown): boolean {
  return (
    typeof value === 'string' && value.length <= MAX_TEXT && !value.includes('\0') && value.isWellFormed()
  );
}

/** The placeholders of conditions (spec 5.5). */
const PLACEHOLDERS = ['user.id', 'session.id', 'run.sourceWorkspaceId'] as const;
export type PlaceholderValues = Readonly<Partial<Record<(typeof PLACEHOLDERS)[number], string>>>;

const PLACEHOLDER = /\$\{([^}]*)\}/g;

/** The first unknown placeholder of a text, or undefined. */
function unknownPlaceholder(text: string): string | undefined {
  const names = [...text.matchAll(PLACEHOLDER)].map(([, name]) => name as string);
  return names.find(name => !(PLACEHOLDERS as readonly string[]).includes(name));
}

/** The conditions with placeholders replaced by values; undefined when one of them has no value. */
export function resolved(conditions: JsonObject, values: PlaceholderValues): JsonObject | undefined {
  let missing = false;
  const fill = (_: string, name: string): string => {
    const value = values[name as keyof PlaceholderValues];
    missing ||= value === undefined;
    return value ?? '';
  };
  const walk = (value: JsonValue): JsonValue => {
    if (typeof value === 'string') return value.replace(PLACEHOLDER, fill);
    if (Array.isArray(value)) return value.map(walk);
    return isJsonObject(value) ? walkObject(value) : value;
  };
  const walkObject = (object: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(object).map(([name, value]) => [name, walk(value)]));
  const result = walkObject(conditions);
  return missing ? undefined : result;
}
