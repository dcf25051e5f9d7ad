import type { Context } from './context.js';
import { fieldsOf, wordsOf } from './fields/fields.js';
import { KnownValues } from './fields/values.js';
import { inOneYear, readQuestion } from './grammar/read-question.js';
import { LEXICONS, languageOf } from './lexicon/lexicon.js';
import type { Plan, Planned, Schema, Tools } from './plan.js';
import { calendarPlan } from './plans/calendar.js';
import { comparisonPlan } from './plans/comparisons.js';
import { dayOf } from './plans/days.js';
import { plainPlan } from './plans/records.js';
import { sharePlan } from './plans/shares.js';
import { Refusal, refuse } from './refusal.js';
import { chronoOf } from './words/dates.js';
import { termsOf } from './words/terms.js';
import { tokenize } from './words/tokenize.js';

/** Limits the work, because each word is compared with each column. */
const MAX_TOKENS = 80;

/**
 * Plans the answer to a question in English or French by rules: the same question always gets the same plan. Every word
 * must be understood. Otherwise the question is refused, and the refusal names the word, because no figure is better
 * than a wrong one.
 */
export async function planQuestion(question: string, schema: Schema, tools: Tools): Promise<Planned> {
  const language = languageOf(question);
  const lexicon = LEXICONS[language];
  const fields = fieldsOf(schema);
  const [today, entity] = [dayOf(tools.today), wordsOf(schema.name).slice(-1)];
  const [chrono, values] = [await chronoOf(language), await KnownValues.of(fields, tools)];
  const context: Context = { language, lexicon, chrono, today, fields, values, entity };
  try {
    return { plan: await planOf(question, context, tools) };
  } catch (error) {
    if (error instanceof Refusal) return { refusal: error.in(lexicon, values.unread) };
    throw error;
  }
}

async function planOf(question: string, context: Context, tools: Tools): Promise<Plan> {
  const tokens = tokenize(question, context.language);
  if (tokens.length > MAX_TOKENS) refuse('length', String(MAX_TOKENS));
  const terms = inOneYear(termsOf(tokens, context));
  const several = sharePlan(terms, context) ?? comparisonPlan(terms, context);
  if (several !== undefined) return several;
  const draft = readQuestion(terms, context);
  if (draft.calendar === undefined) return plainPlan(draft, context);
  return calendarPlan(draft, context, tools);
}
