import type { Plan, Read } from '@typed-collections/plain-questions';
import { sayPlan } from '@typed-collections/plain-questions';
import { isJsonObject, type JsonObject } from '../../../base/kernel/json.js';
import {
  type CollectionOutline,
  type Planned,
  type PlanningTools,
  QuestionPlanner,
} from '../question-planner.js';
import { type LanguageModel, type Message, ModelRefusal, type ReplyFormat } from './language-model.js';
import { quoted, shortened } from './untrusted-data.js';

const REFUSED = 'The language model has no plan for this question. Ask it in other words.';

/**
 * Plans with a language model, which gets the question, the day and the collection's fields. It does not write the
 * answer.
 */
export class OpenAiQuestions extends QuestionPlanner {
  constructor(private readonly model: LanguageModel) {
    super();
  }

  plan(question: string, outline: CollectionOutline, tools: PlanningTools): Promise<Planned> {
    return this.planned(tools, question, questionPrompt(question, outline, tools.today));
  }

  override repair(
    question: string,
    outline: CollectionOutline,
    tools: PlanningTools,
    { plan, reason }: { plan: Plan; reason: string },
  ): Promise<Planned> {
    return this.planned(tools, question, [
      ...questionPrompt(question, outline, tools.today),
      { role: 'assistant', content: JSON.stringify(plan) },
      { role: 'user', content: `That read was refused: ${reason}\nPlan another one, or refuse.` },
    ]);
  }

  private async planned(
    { orgId, caller }: PlanningTools,
    question: string,
    messages: readonly Message[],
  ): Promise<Planned> {
    try {
      const reply = planIn(await this.model.reply(orgId, messages, PLAN_FORMAT, caller));
      return 'refusal' in reply ? reply : { ...reply, say: sayPlan(question, reply.plan) };
    } catch (error) {
      if (error instanceof ModelRefusal) return { refusal: REFUSED };
      throw error;
    }
  }
}

const MAX_COLUMNS = 200;
const MAX_FLEXIBLE = 100;
/** Maximum length of the description of a collection. Samples are removed one by one until it fits. */
const MAX_OUTLINE = 40_000;

const TASK = `You plan how to answer a question about one collection of records. You never answer it yourself: you choose exactly one read, and the service runs it and words the answer.

Reads:
- "query": records, by filter, sort, fields, limit (1 to 100). For "which", "list", "the latest", "the largest N records".
- "count": how many records a filter finds.
- "distinct": the values of one field.
- "aggregate": steps of sum, avg, count, min, max (input_field, output_field; count may have no input_field), optionally group_by (up to 5 fields), sort, limit (up to 1000), having. For totals, averages, "per", "by", "the top N groups". sort and having name group_by fields and output_fields only.
- "refuse": when one read cannot answer it; say why in "refusal".

filter and having are MongoDB filters as JSON text, such as {"amount":{"$gt":100},"$or":[{"city":"Paris"},{"city":null}]}. Operators: $eq $ne $gt $gte $lt $lte $in $nin $and $or $nor $not $exists $type $regex $options $mod $all $elemMatch $size, and {"field":{"$search":"text"}} for text that contains another, case-insensitively. There is no $where, no $expr, no function, no write.
Dates are compared as texts: date columns with "YYYY-MM-DD", datetime columns with "YYYY-MM-DDTHH:MM:SSZ"; a period is a half-open range of $gte and $lt. Use only fields that the data shows. output_field is made of letters, digits and _. What a read does not need is null.`;

function questionPrompt(question: string, outline: CollectionOutline, today: Date): Message[] {
  const { text, rule } = quoted(shown(outline));
  return [
    { role: 'system', content: `${TASK}\n\n${rule}\n\nNow it is ${today.toISOString()} (UTC).` },
    { role: 'user', content: `The collection:\n${text}\n\nThe question:\n${question}` },
  ];
}

function shown(outline: CollectionOutline): object {
  const samples = outline.samples.map(sample => shortened(sample));
  const all = {
    name: outline.name,
    description: shortened(outline.description),
    columns: outline.columns.slice(0, MAX_COLUMNS),
    other_fields: shortened(outline.flexibleFields.slice(0, MAX_FLEXIBLE)),
    record_count: outline.rowCount,
    samples,
  };
  while (samples.length > 0 && JSON.stringify(all).length > MAX_OUTLINE) samples.pop();
  return all;
}

/** The reasons for which a question gets no plan. The model only chooses one: its own text could come from a record. */
const REFUSALS = {
  not_in_data: 'The records of this collection do not hold what this question asks for.',
  ambiguous: 'This question can mean several things. Name the fields and values that it is about.',
  needs_several_reads: 'This question needs several reads. Ask its parts one by one.',
  changes_data: 'Questions only read: they cannot change records.',
  not_a_question: 'This is not a question about the records of this collection.',
} as const;

const nullable = (type: string) => ({ type: [type, 'null'] });
const strict = (properties: object) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});
const NAMES = { type: ['array', 'null'], items: { type: 'string' } };

/**
 * Strict structured output does not support objects with arbitrary keys, so filters are JSON text and sorts are lists.
 */
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
        type: { type: 'string', enum: ['sum', 'avg', 'count', 'min', 'max'] },
        input_field: nullable('string'),
        output_field: { type: 'string' },
      }),
    },
    group_by: NAMES,
    having: nullable('string'),
  }),
};

/**
 * The plan in a reply, with the names of the REST parameters. Values of a wrong type are kept, because the checks of
 * all plans find them.
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

/** The parameters of each operation; others in a reply are ignored. */
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
