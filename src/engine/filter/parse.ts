import { invalid } from '../../base/kernel/errors.js';
import { isJsonObject, isTooMany, type JsonObject } from '../../base/kernel/json.js';
import { MAX_VALUES } from '../../base/kernel/limits.js';
import { nearest } from '../../base/kernel/text.js';
import { type FieldPath, parseFieldPath, partsToRead } from './field-path.js';
import { arrayParsers } from './operators/array.js';
import { bitwiseParsers } from './operators/bitwise.js';
import { comparisonParsers, equality } from './operators/comparison.js';
import { elementParsers } from './operators/element.js';
import { evaluationParsers } from './operators/evaluation.js';
import { logicalParsers, notParsers } from './operators/logical.js';
import type { OperatorParser, Parser } from './operators/operator.js';
import { parseSearchAll, searchParsers } from './operators/text-search.js';
import { type Filter, node, type Test } from './tree.js';

const MAX_LEVELS = 20;
const MAX_CONDITIONS = 500;
/**
 * Maximum of `partsToRead` of all conditions together. Their jsonpath has about 100 characters for each part. This is
 * enough for 500 conditions on paths such as `a.0.1.2.3.b`.
 */
const MAX_PARTS = 100_000;

const FIELD_OPERATORS: Readonly<Record<string, OperatorParser>> = {
  ...comparisonParsers,
  ...notParsers,
  ...elementParsers,
  ...evaluationParsers,
  ...arrayParsers,
  ...bitwiseParsers,
  ...searchParsers,
};

const FILTER_OPERATORS: Readonly<Record<string, (operand: unknown, parser: Parser) => Filter>> =
  logicalParsers;

const ALL_OPERATORS = [...Object.keys(FILTER_OPERATORS), ...Object.keys(FIELD_OPERATORS)];

/** MongoDB operators that run code, access other collections or write. */
const REFUSED = new Set([
  '$where',
  '$function',
  '$expr',
  '$lookup',
  '$merge',
  '$accumulator',
  '$out',
  '$jsonSchema',
]);

/**
 * Parses a filter in MongoDB's query language into a frozen tree. All limits and errors are here; throws `invalid()`.
 * Source: wire contract, "Query language".
 */
export function parseFilter(json: unknown, conditions: Conditions = { count: 0 }): Filter {
  if (isTooMany(json)) throw invalid(`a filter has at most ${MAX_VALUES} values`);
  return new FilterParser(0, false, conditions).read(json, 'filter');
}

/** Number of conditions so far. Filters of the same statement share it. */
export interface Conditions {
  count: number;
  /** Sum of `partsToRead` so far. */
  parts?: number;
  /** Name of the owner of the conditions, for the error message. */
  readonly of?: string;
  /** Maximum of conditions, if it is less than that of a filter. */
  readonly most?: number;
}

class FilterParser implements Parser {
  constructor(
    private readonly level: number,
    private readonly inElement: boolean,
    private readonly conditions: Conditions,
    /** `partsToRead` of the field whose operators are read. */
    private readonly parts = 0,
  ) {}

  filter(json: unknown, where: string): Filter {
    return this.deeper().read(json, where);
  }

  elementFilter(json: unknown): Filter {
    return this.deeper(true, 0).read(json, '$elemMatch');
  }

  operators(json: unknown, where: string): Test {
    return this.deeper().readOperators(json as JsonObject, where);
  }

  condition(test: Test): Test {
    this.count();
    return test;
  }

  private count(): void {
    const { conditions } = this;
    const limited = conditions.of ?? 'a filter has';
    const { most = MAX_CONDITIONS } = conditions;
    conditions.count += 1;
    if (conditions.count > most) throw invalid(`${limited} at most ${most} conditions`);
    conditions.parts = (conditions.parts ?? 0) + this.parts;
    if (conditions.parts > MAX_PARTS)
      throw invalid(
        `${limited} at most ${MAX_PARTS} parts in paths with numeric parts: each numeric part doubles the parts of its path, and 20 characters count as one more part; use fewer conditions or shorter paths`,
      );
  }

  read(json: unknown, where: string): Filter {
    if (!isJsonObject(json)) throw invalid(`${where} must be an object such as {"status": "open"}`);
    const members = Object.entries(json);
    // `{}` is a condition that is always true. It is counted, so that thousands of them are refused too.
    if (members.length === 0) this.count();
    const filters = members.map(([name, value]) => this.readMember(name, value));
    return filters.length === 1 ? filters[0]! : node({ kind: 'and', filters: Object.freeze(filters) });
  }

  private readMember(name: string, value: unknown): Filter {
    if (Object.hasOwn(FILTER_OPERATORS, name)) return FILTER_OPERATORS[name]!(value, this);
    if (name === '$search' && !this.inElement) {
      this.count();
      return parseSearchAll(value);
    }
    if (name.startsWith('$')) throw refusal(name, `it cannot be used in place of a field`);
    const path = parseFieldPath(name);
    return node({ kind: 'field', path, test: this.at(path).readTest(name, value) });
  }

  private readTest(name: string, value: unknown): Test {
    const hasOperators = isJsonObject(value) && Object.keys(value).some(key => key.startsWith('$'));
    return hasOperators ? this.readOperators(value, name) : this.condition(equality(value, name));
  }

  readOperators(operators: JsonObject, where: string): Test {
    const tests = Object.entries(operators)
      .filter(([name]) => name !== '$options' || !Object.hasOwn(operators, '$regex'))
      .map(([name, operand]) => this.readOperator(name, operand, operators));
    if (tests.length === 0) throw invalid(`${where} needs at least one operator`);
    return tests.length === 1 ? tests[0]! : node({ kind: 'every', tests: Object.freeze(tests) });
  }

  private readOperator(name: string, operand: unknown, siblings: JsonObject): Test {
    if (!name.startsWith('$')) {
      throw invalid(
        `${JSON.stringify(name.slice(0, 60))} is a field among operators: a value is compared either as a whole or with operators`,
      );
    }
    if (!Object.hasOwn(FIELD_OPERATORS, name)) throw refusal(name, 'it cannot be used for a field');
    return this.condition(FIELD_OPERATORS[name]!(operand, this, siblings));
  }

  private at(path: FieldPath): FilterParser {
    return new FilterParser(this.level, this.inElement, this.conditions, partsToRead(path));
  }

  private deeper(inElement = this.inElement, parts = this.parts): FilterParser {
    if (this.level === MAX_LEVELS) throw invalid(`a filter has at most ${MAX_LEVELS} levels`);
    return new FilterParser(this.level + 1, inElement, this.conditions, parts);
  }
}

function refusal(name: string, misplaced: string): Error {
  const shown = JSON.stringify(name.slice(0, 60)).slice(1, -1);
  if (name === '$options') return invalid('$options needs $regex in the same object');
  if (REFUSED.has(name)) return invalid(`the operator ${shown} is not allowed in filters`);
  const isOperator = Object.hasOwn(FIELD_OPERATORS, name) || Object.hasOwn(FILTER_OPERATORS, name);
  if (isOperator) return invalid(`the operator ${shown} is out of place: ${misplaced}`);
  const meant = nearest(name.slice(0, 60), ALL_OPERATORS);
  const question = meant === undefined ? '' : ` (did you mean ${meant}?)`;
  return invalid(`unknown operator ${shown}${question}; the operators are ${ALL_OPERATORS.join(' ')}`);
}
