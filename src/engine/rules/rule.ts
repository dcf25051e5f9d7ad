import { invalid, PlatformError } from '../../base/kernel/errors.js';
import { isJsonObject } from '../../base/kernel/json.js';
import { type Conditions, type Filter, parseFilter, replaceTexts } from '../filter/index.js';
import type { Rule } from './grant.js';
import { readVariables, type VariableName, type VariableValues, variableIn } from './variables.js';

const MAX_CONDITIONS = 100;

/** A stored rule, in which variables have no values yet. */
export interface ParsedRule {
  readonly rule: Rule;
  readonly variables: ReadonlySet<VariableName>;
  readonly conditions: number;
}

// biome-ignore lint/plugin/bounded-maps: it stays empty
const NO_VARIABLES: ReadonlySet<VariableName> = new Set();
export const ALWAYS: ParsedRule = { rule: true, variables: NO_VARIABLES, conditions: 0 };
export const NEVER: ParsedRule = { rule: false, variables: NO_VARIABLES, conditions: 0 };

/** Parses a rule as it is stored. Throws 400; `where` names the rule in the message, such as `rules.read`. */
export function parseRule(json: unknown, where: string): ParsedRule {
  if (typeof json === 'boolean') return json ? ALWAYS : NEVER;
  if (!isJsonObject(json) || Object.keys(json).length === 0)
    throw invalid(`${where}: expects true, false, or a filter with at least one condition`);
  const { filter, names } = readVariables(json, where);
  const conditions: Conditions = { count: 0, of: 'a rule has', most: MAX_CONDITIONS };
  return { rule: parsed(filter, conditions, where), variables: names, conditions: conditions.count };
}

function parsed(json: unknown, conditions: Conditions, where: string): Filter {
  try {
    return parseFilter(json, conditions);
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    throw invalid(`${where}: ${error.message}`);
  }
}

/** The rule with the values of a caller. A rule in which a variable has no value holds for no record. */
export function resolveRule({ rule, variables }: ParsedRule, values: VariableValues): Rule {
  if (typeof rule === 'boolean' || variables.size === 0) return rule;
  if ([...variables].some(name => values[name] === undefined)) return false;
  return replaceTexts(rule, text => {
    const name = variableIn(text);
    return name && values[name];
  });
}
