import { invalid } from '../../base/kernel/errors.js';
import { isJsonObject, type JsonObject } from '../../base/kernel/json.js';

/** The variables of rules, and whether each is a list. */
const VARIABLES = {
  'caller.id': 'text',
  'user.id': 'text',
  'user.email': 'text',
  'user.groups': 'list',
  'user.role': 'text',
  'org.slug': 'text',
  'agent.id': 'text',
  'key.id': 'text',
  now: 'text',
  today: 'text',
} as const satisfies Record<string, 'text' | 'list'>;

export type VariableName = keyof typeof VARIABLES;

/** The values of a caller. A variable that is absent has no value for this caller. */
export type VariableValues = Readonly<Partial<Record<VariableName, string | readonly string[]>>>;

/** Operators whose operand is one value. */
const ONE_VALUE = new Set(['$eq', '$ne', '$gt', '$gte', '$lt', '$lte']);
/** Operators whose operand is a list of values. */
const VALUES = new Set(['$in', '$nin', '$all']);
const COMBINATIONS = new Set(['$and', '$or', '$nor']);
const LIST_NAMES = Object.entries(VARIABLES).flatMap(([name, kind]) => (kind === 'list' ? [name] : []));

/** The name in a text that is exactly `${name}`; undefined for any other text and for an unknown name. */
export function variableIn(text: unknown): VariableName | undefined {
  const name = typeof text === 'string' ? /^\$\{(.*)\}$/s.exec(text)?.[1] : undefined;
  return name !== undefined && Object.hasOwn(VARIABLES, name) ? (name as VariableName) : undefined;
}

/** A filter in which a list variable stands alone in a list, and the variables of the filter. */
interface WithVariables {
  readonly filter: JsonObject;
  readonly names: ReadonlySet<VariableName>;
}

/**
 * Finds the variables of a rule. Throws 400 for a text with `${…}` that is not a variable, or that stands where a rule
 * cannot have one. `where` names the rule in messages.
 */
export function readVariables(filter: JsonObject, where: string): WithVariables {
  const names = new Set<VariableName>();
  return { filter: new VariableReader(where, names).filter(filter) as JsonObject, names };
}

/**
 * Follows the grammar of filters, because a text is an operand in some places and a value to compare in others. What is
 * not a filter stays as it is: the parser of filters refuses it.
 */
class VariableReader {
  constructor(
    private readonly where: string,
    private readonly names: Set<VariableName>,
  ) {}

  filter(json: unknown): unknown {
    if (!isJsonObject(json)) return this.withoutVariables(json);
    return mapped(json, (name, value) => {
      this.refuseText(name);
      if (COMBINATIONS.has(name) && Array.isArray(value)) return value.map(item => this.filter(item));
      return name.startsWith('$') ? this.withoutVariables(value) : this.test(value);
    });
  }

  private test(value: unknown): unknown {
    const hasOperators = isJsonObject(value) && Object.keys(value).some(key => key.startsWith('$'));
    return hasOperators ? this.operators(value) : this.value(value);
  }

  private operators(json: JsonObject): unknown {
    return mapped(json, (operator, operand) => {
      if (ONE_VALUE.has(operator)) return this.value(operand);
      if (VALUES.has(operator)) return this.values(operand);
      if (operator === '$not' && isJsonObject(operand)) return this.operators(operand);
      return operator === '$elemMatch' ? this.element(operand) : this.withoutVariables(operand);
    });
  }

  private element(operand: unknown): unknown {
    const [first] = isJsonObject(operand) ? Object.keys(operand) : [];
    const ofValue = first?.startsWith('$') && !COMBINATIONS.has(first);
    return ofValue ? this.operators(operand as JsonObject) : this.filter(operand);
  }

  private values(operand: unknown): unknown {
    const name = variableIn(operand);
    if (name !== undefined) {
      if (VARIABLES[name] !== 'list')
        throw this.refusal(`\${${name}} is one value; put it into a list: ["\${${name}}"]`);
      this.names.add(name);
      return [operand];
    }
    if (!Array.isArray(operand)) return this.withoutVariables(operand);
    return operand.map(item => this.listed(item));
  }

  private listed(item: unknown): unknown {
    const isElementMatch = isJsonObject(item) && Object.keys(item).join() === '$elemMatch';
    return isElementMatch ? { $elemMatch: this.element(item.$elemMatch) } : this.value(item);
  }

  private value(operand: unknown): unknown {
    const name = variableIn(operand);
    if (name === undefined) return this.withoutVariables(operand);
    if (VARIABLES[name] === 'list')
      throw this.refusal(`\${${name}} is a list, so it can only be the whole operand of $in, $nin or $all`);
    this.names.add(name);
    return operand;
  }

  /** A value without variables, unchanged. */
  private withoutVariables(value: unknown): unknown {
    if (typeof value === 'string') this.refuseText(value);
    else if (Array.isArray(value)) for (const item of value) this.withoutVariables(item);
    else if (isJsonObject(value)) {
      for (const [name, member] of Object.entries(value)) {
        this.refuseText(name);
        this.withoutVariables(member);
      }
    }
    return value;
  }

  private refuseText(text: string): void {
    if (variableIn(text) !== undefined) {
      throw this.refusal(
        `${text} cannot be used here: a variable is the value of a field, the operand of $eq, $ne, $gt, $gte, $lt or $lte, or one of the values of $in, $nin or $all`,
      );
    }
    if (!/\$\{[^}]*\}/.test(text)) return;
    const shown = JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
    throw this.refusal(
      `${shown} is not a variable; a variable is the whole text, and is one of ${Object.keys(VARIABLES).join(', ')} (lists: ${LIST_NAMES.join(', ')})`,
    );
  }

  private refusal(message: string): Error {
    return invalid(`${this.where}: ${message}`);
  }
}

function mapped(json: JsonObject, map: (name: string, value: unknown) => unknown): JsonObject {
  return Object.fromEntries(
    Object.entries(json).map(([name, value]) => [name, map(name, value)]),
  ) as JsonObject;
}
