import { invalid } from '../../kernel/errors.js';
import { isJsonObject } from '../../kernel/json.js';
import { shortened } from '../../kernel/shortened.js';
import { unknownPlaceholder } from './placeholders.js';

const MAX_DEPTH = 5;
const MAX_TERMS = 50;
const MAX_LIST = 100;
const MAX_TEXT = 1000;
const PATH = /^[A-Za-z_]\w{0,63}(\.\w{1,64}){0,7}$/;
/** What every object has, whatever was put into it. */
const INHERITED = new Set(['__proto__', 'constructor', 'prototype']);

type Accepts = (operand: unknown) => boolean;

const scalar: Accepts = value => value === null || typeof value === 'boolean' || comparable(value);
const comparable: Accepts = value => typeof value === 'number' || isText(value);
const list: Accepts = value => Array.isArray(value) && value.length <= MAX_LIST && value.every(scalar);

const PLAIN = 'a text, number, boolean or null';

/**
 * The operators that CASL evaluates, and what they take, after MongoDB's manual. Left out: `$regex`, which could keep
 * the process busy, and everything that runs code.
 */
const OPERATORS: Readonly<Record<string, { readonly accepts: Accepts; readonly expects: string }>> = {
  $eq: { accepts: scalar, expects: PLAIN },
  $ne: { accepts: scalar, expects: PLAIN },
  $gt: { accepts: comparable, expects: 'a text or number' },
  $gte: { accepts: comparable, expects: 'a text or number' },
  $lt: { accepts: comparable, expects: 'a text or number' },
  $lte: { accepts: comparable, expects: 'a text or number' },
  $in: { accepts: list, expects: `a list of at most ${MAX_LIST} plain values` },
  $nin: { accepts: list, expects: `a list of at most ${MAX_LIST} plain values` },
  $all: { accepts: list, expects: `a list of at most ${MAX_LIST} plain values` },
  $size: { accepts: value => Number.isSafeInteger(value) && Number(value) >= 0, expects: 'a whole number' },
  $exists: { accepts: value => typeof value === 'boolean', expects: 'true or false' },
};

/** Those that stand in the place of a field. */
const LOGICAL = ['$and', '$or', '$nor'];

/** Throws 400 for conditions that are no MongoDB query, go too deep, or name what does not exist. */
export function assertConditions(conditions: unknown, where: string): void {
  let terms = 0;
  query(conditions, where, 1);

  function countTerm(): void {
    if (++terms > MAX_TERMS) throw invalid(`${where}: holds more than ${MAX_TERMS} terms`);
  }

  function query(value: unknown, at: string, depth: number): void {
    if (!isJsonObject(value)) throw invalid(`${at}: expects a MongoDB query, an object`);
    if (depth > MAX_DEPTH) throw invalid(`${at}: goes deeper than ${MAX_DEPTH} levels`);
    for (const [name, condition] of Object.entries(value)) {
      if (name.startsWith('$')) logical(name, condition, `${at}.${shortened(name)}`, depth);
      else field(name, condition, `${at}.${shortened(name)}`, depth);
    }
  }

  function field(path: string, condition: unknown, at: string, depth: number): void {
    countTerm();
    if (!PATH.test(path) || path.split('.').some(part => INHERITED.has(part))) {
      throw invalid(`${at}: is no path of a field`);
    }
    if (isJsonObject(condition)) operators(condition, at, depth);
    else if (!scalar(condition)) throw invalid(`${at}: expects ${PLAIN}, or operators`);
    else placeholders(condition, at);
  }

  function logical(name: string, queries: unknown, at: string, depth: number): void {
    if (!LOGICAL.includes(name)) throw invalid(`${at}: the operator is not known here`);
    if (!Array.isArray(queries) || queries.length === 0) throw invalid(`${at}: expects a list of queries`);
    for (const [index, each] of queries.entries()) {
      countTerm();
      query(each, `${at}.${index}`, depth + 1);
    }
  }

  function operators(value: object, at: string, depth: number): void {
    const entries = Object.entries(value);
    if (entries.length === 0) throw invalid(`${at}: expects operators`);
    for (const [name, operand] of entries) {
      countTerm();
      if (name === '$elemMatch') elemMatch(operand, `${at}.${shortened(name)}`, depth);
      else operator(name, operand, `${at}.${shortened(name)}`);
    }
  }

  function operator(name: string, operand: unknown, at: string): void {
    const known = Object.hasOwn(OPERATORS, name) ? OPERATORS[name] : undefined;
    if (known === undefined) throw invalid(`${at}: the operator is not known here`);
    if (!known.accepts(operand)) throw invalid(`${at}: expects ${known.expects}`);
    placeholders(operand, at);
  }

  function elemMatch(operand: unknown, at: string, depth: number): void {
    if (depth >= MAX_DEPTH) throw invalid(`${at}: goes deeper than ${MAX_DEPTH} levels`);
    const ofElements = isJsonObject(operand) && Object.keys(operand).some(name => name.startsWith('$'));
    if (ofElements) operators(operand, at, depth + 1);
    else query(operand, at, depth + 1);
  }
}

function placeholders(value: unknown, at: string): void {
  for (const each of Array.isArray(value) ? value : [value]) {
    const unknown = typeof each === 'string' ? unknownPlaceholder(each) : undefined;
    if (unknown !== undefined) throw invalid(`${at}: there is no placeholder of this name`);
  }
}

function isText(value: unknown): boolean {
  return (
    typeof value === 'string' && value.length <= MAX_TEXT && !value.includes('\0') && value.isWellFormed()
  );
}
