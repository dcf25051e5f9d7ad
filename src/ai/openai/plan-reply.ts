import { isJsonObject, type JsonObject } from '../../kernel/json.js';
import { AGGREGATE_TYPES } from '../../storage/aggregate-field.js';
import type { Read } from '../question-planner.js';
import type { ReplyFormat } from './language-model.js';

/** Why a question gets no plan. The words are ours: what a model would say might be what a record told it. */
const REFUSALS = {
  not_in_data: 'The records of this collection do not hold what this question asks for.',
  ambiguous: 'This question can be read in several ways; name the fields and values it is about.',
  needs_several_reads: 'This question needs several reads at once; ask its parts one by one.',
  changes_data: 'Questions only read: they cannot change records.',
  not_a_question: 'This is no question about the records of this collection.',
} as const;

const nullable = (type: string) => ({ type: [type, 'null'] });
const strict = (properties: object) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});
const NAMES = { type: ['array', 'null'], items: { type: 'string' } };

/** Strict structured output has no open objects: filters travel as JSON text, sorts as lists. */
export const PLAN_FORMAT: ReplyFormat = {
  name: 'plan',
  schema: strict({
    operation: { type: 'string', enum: ['query', 'count', 'distinct', 'aggregate', 'refuse'] },
    refusal: { type: ['string', 'null'], enum: [...Object.keys(REFUSALS), null] },
    filter: nullable('string'),
    sort: {
      type: ['array', 'null'],
      items: strict({ field: { type: 'string' }, direction: { type: 'integer', enum: [1, -1] } }),
    },
    fields: NAMES,
    limit: nullable('integer'),
    field: nullable('string'),
    steps: {
      type: ['array', 'null'],
      items: strict({
        type: { type: 'string', enum: [...AGGREGATE_TYPES] },
        input_field: nullable('string'),
        output_field: { type: 'string' },
      }),
    },
    group_by: NAMES,
    having: nullable('string'),
  }),
};

/**
 * The plan in a reply, in the words of REST, as far as the reply can be read as one: what is no plan is found by the
 * checks that every plan goes through.
 */
export function planIn(reply: unknown): { plan: Read } | { refusal: string } {
  const said = isJsonObject(reply) ? reply : {};
  if (said.operation === 'refuse') {
    const known = Object.hasOwn(REFUSALS, String(said.refusal));
    return { refusal: REFUSALS[known ? (said.refusal as keyof typeof REFUSALS) : 'not_in_data'] };
  }
  const parts = {
    filter: json(said.filter),
    sort: sort(said.sort),
    fields: said.fields,
    limit: said.limit,
    field: said.field,
    steps: steps(said.steps),
    group_by: Array.isArray(said.group_by) && said.group_by.length === 0 ? null : said.group_by,
    having: json(said.having),
  };
  const operation = String(said.operation);
  const own = Object.hasOwn(PARTS, operation) ? PARTS[operation as Read['operation']] : [];
  const sent = own.filter(part => (parts[part] ?? null) !== null).map(part => [part, parts[part]]);
  return { plan: { operation: said.operation, ...Object.fromEntries(sent) } as Read };
}

/** What else a reply holds is not of its operation. */
const PARTS = {
  query: ['filter', 'sort', 'fields', 'limit'],
  count: ['filter'],
  distinct: ['field', 'filter'],
  aggregate: ['steps', 'group_by', 'filter', 'sort', 'limit', 'having'],
} as const;

function json(text: unknown): unknown {
  if (typeof text !== 'string') return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function sort(list: unknown): unknown {
  if (!Array.isArray(list)) return list;
  if (list.length === 0) return null;
  return Object.fromEntries(
    list.filter(isJsonObject).map(({ field, direction }) => [String(field), direction]),
  );
}

function steps(list: unknown): unknown {
  if (!Array.isArray(list)) return list;
  return list.map(step => (isJsonObject(step) ? stepOf(step) : step));
}

function stepOf({ type, input_field, output_field }: JsonObject): object {
  return { type, ...(input_field != null && { input_field }), output_field };
}
