import { invalid } from '../../base/kernel/errors.js';
import type { GrantPart, GrantParts } from '../../base/kernel/grant-parts.js';
import { isJsonObject, isTooMany, ownValue } from '../../base/kernel/json.js';
import { MAX_VALUES } from '../../base/kernel/limits.js';
import { parseFieldNames, shownFields, writtenFields } from './field-names.js';
import type { FieldNames, Grant, Rule } from './grant.js';
import { ALWAYS, NEVER, type ParsedRule, parseRule, resolveRule } from './rule.js';
import type { VariableName, VariableValues } from './variables.js';

const ACTIONS = ['read', 'create', 'update', 'becomes', 'delete'] as const;
type Action = (typeof ACTIONS)[number];

/** The rules and fields of a grant, for every caller that has it. */
export interface ParsedGrant extends Readonly<Record<Action, ParsedRule>> {
  readonly shows: FieldNames | undefined;
  readonly writes: FieldNames | undefined;
  /** Its read rule and the fields that it shows, as they were sent. */
  readonly sentRead: string;
  /** Number of conditions of the rules that it names. */
  readonly conditions: number;
  readonly variables: ReadonlySet<VariableName>;
}

/** Throws 400 for rules, fields or limits that a grant cannot have. A part that is absent or null is not checked. */
export function checkGrantParts({ rules, fields, limits }: GrantParts): void {
  if (isTooMany([rules, fields]))
    throw invalid(`rules and fields have at most ${MAX_VALUES} values together`);
  parseRules(rules, false);
  parseFields(fields);
  if (limits) checkLimits(limits);
}

/** Parses the parts of a grant. Without `read`, the rules of anonymous people and of other callers differ. */
export function parseGrant({ rules, fields }: GrantParts, anonymous: boolean): ParsedGrant {
  const parsed = parseRules(rules, anonymous);
  const { read, write } = parseFields(fields);
  const shows = shownFields(read);
  return {
    ...parsed,
    shows,
    writes: writtenFields(shows, write),
    sentRead: JSON.stringify([memberOf(rules, 'read'), memberOf(fields, 'read')]),
    variables: new Set(ACTIONS.flatMap(action => [...parsed[action].variables])),
  };
}

/** A grant that reaches no record: for parts that this version of the service cannot parse. */
export const CLOSED_GRANT: ParsedGrant = {
  ...{ read: NEVER, create: NEVER, update: NEVER, becomes: NEVER, delete: NEVER },
  ...{ shows: undefined, writes: undefined, sentRead: '', conditions: 0, variables: NEVER.variables },
};

/** The top-level fields that the rules name. */
export function fieldsOfRules({ rules }: GrantParts): ReadonlySet<string> {
  const parsed = parseRules(rules, false);
  return new Set(ACTIONS.flatMap(action => [...topFields(parsed[action].rule)]));
}

function topFields(rule: Rule): string[] {
  if (typeof rule === 'boolean' || rule.kind === 'searchAll') return [];
  return rule.kind === 'field' ? [rule.path[0] as string] : rule.filters.flatMap(topFields);
}

/** The grant with the values of a caller. */
export function resolveGrant(parsed: ParsedGrant, values: VariableValues): Grant {
  return {
    readKey: readKey(parsed, values),
    read: resolveRule(parsed.read, values),
    create: resolveRule(parsed.create, values),
    update: resolveRule(parsed.update, values),
    becomes: resolveRule(parsed.becomes, values),
    delete: resolveRule(parsed.delete, values),
    shows: parsed.shows,
    writes: parsed.writes,
  };
}

function readKey({ sentRead, read }: ParsedGrant, values: VariableValues): string {
  const names = [...read.variables].filter(name => name !== 'now' && name !== 'today').sort();
  const named = names.map(name => {
    const value = values[name];
    return [name, Array.isArray(value) ? value.toSorted() : value];
  });
  return `${sentRead} ${JSON.stringify(named)}`;
}

function memberOf(part: GrantPart | null | undefined, name: string): unknown {
  return part && ownValue(part as Readonly<Record<string, unknown>>, name);
}

function parseRules(
  rules: GrantPart | null | undefined,
  anonymous: boolean,
): Record<Action, ParsedRule> & { readonly conditions: number } {
  if (rules === undefined || rules === null) {
    return { read: ALWAYS, create: ALWAYS, update: ALWAYS, becomes: ALWAYS, delete: ALWAYS, conditions: 0 };
  }
  const sentRules = membersOf(rules, ACTIONS, 'rules');
  if (!Object.hasOwn(sentRules, 'read')) throw invalid('rules: name read, which says which records are seen');
  const sent = ACTIONS.flatMap(action =>
    Object.hasOwn(sentRules, action)
      ? [[action, parseRule(sentRules[action], `rules.${action}`)] as const]
      : [],
  );
  const named = Object.fromEntries(sent) as Partial<Record<Action, ParsedRule>>;
  const read = named.read as ParsedRule;
  const absent = typeof read.rule === 'boolean' || anonymous ? NEVER : read;
  const { create = absent, update = absent, delete: deletes = absent } = named;
  const conditions = sent.reduce((sum, [, rule]) => sum + rule.conditions, 0);
  return { read, create, update, becomes: named.becomes ?? update, delete: deletes, conditions };
}

function parseFields(fields: GrantPart | null | undefined): {
  read?: FieldNames | undefined;
  write?: FieldNames | undefined;
} {
  if (fields === undefined || fields === null) return {};
  const sent = membersOf(fields, ['read', 'write'], 'fields');
  const of = (name: 'read' | 'write') =>
    Object.hasOwn(sent, name) ? parseFieldNames(sent[name], `fields.${name}`) : undefined;
  return { read: of('read'), write: of('write') };
}

const LIMITS = ['reads_per_minute', 'writes_per_minute'] as const;
const MAX_LIMIT = 10_000_000;

function checkLimits(limits: object): void {
  for (const [name, value] of Object.entries(membersOf(limits, LIMITS, 'limits'))) {
    if (!Number.isInteger(value) || (value as number) < 1 || (value as number) > MAX_LIMIT)
      throw invalid(`limits.${name}: expects an integer from 1 to ${MAX_LIMIT}`);
  }
}

/** The members of a part. Throws 400 unless it is an object with at least one of these names and no other. */
function membersOf(
  part: unknown,
  names: readonly string[],
  where: string,
): Readonly<Record<string, unknown>> {
  const sent = isJsonObject(part) ? Object.keys(part) : [];
  if (sent.length === 0) throw invalid(`${where}: expects an object with ${names.join(', ')}, or null`);
  const other = sent.find(name => !names.includes(name));
  if (other !== undefined)
    throw invalid(
      `${where}: unknown name ${JSON.stringify(other.slice(0, 60))}; the names are ${names.join(', ')}`,
    );
  return part as Readonly<Record<string, unknown>>;
}
