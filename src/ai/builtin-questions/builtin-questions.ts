import {
  type CollectionSight,
  type Plan,
  type Planned,
  type PlanningTools,
  QuestionPlanner,
} from '../question-planner.js';
import { assemble } from './assemble.js';
import { dayOf } from './calendar.js';
import { calendarPlan } from './calendar-plan.js';
import { comparisonPlan } from './comparison-plan.js';
import { fieldsOf, wordsOf } from './fields.js';
import type { Ground } from './ground.js';
import { KnownValues } from './known-values.js';
import { languageOf } from './lexicon.js';
import type { Mark } from './marks.js';
import { inOneYear } from './one-year.js';
import { phrase } from './phrase.js';
import { readQuestion } from './read-question.js';
import { recognise } from './recognise.js';
import { Refusal, refuseLength } from './refusal.js';
import { sharePlan } from './share-plan.js';
import { tokenize } from './tokenize.js';

/** Bounds the work: each word is held against each column. */
const MAX_TOKENS = 80;

/**
 * Answers questions in English and French without a model, by rules: the same question gives the same plan. Each word
 * must be understood, else the question is refused and the word named: better no figure than a wrong one.
 */
export class BuiltinQuestions extends QuestionPlanner {
  async plan(question: string, sight: CollectionSight, tools: PlanningTools): Promise<Planned> {
    const language = languageOf(question);
    const fields = fieldsOf(sight);
    const values = await KnownValues.of(fields, tools);
    const ground = {
      language,
      today: dayOf(tools.today),
      fields,
      values,
      entity: wordsOf(sight.name).slice(-1),
    };
    try {
      const tokens = tokenize(question, language);
      if (tokens.length > MAX_TOKENS) refuseLength(MAX_TOKENS);
      const marks = inOneYear(recognise(tokens, ground));
      const plan =
        sharePlan(marks, ground) ?? comparisonPlan(marks, ground) ?? (await plainPlan(marks, ground, tools));
      return { plan, say: phrase(plan, language) };
    } catch (error) {
      if (error instanceof Refusal) return { refusal: error.reason[language] };
      throw error;
    }
  }
}

async function plainPlan(marks: readonly Mark[], ground: Ground, tools: PlanningTools): Promise<Plan> {
  const draft = readQuestion(marks, ground);
  if (draft.calendar === undefined) return assemble(draft, ground);
  return calendarPlan(draft, draft.calendar, ground, tools);
}
