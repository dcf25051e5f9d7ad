import {
  type CollectionSight,
  type Planned,
  type PlanningTools,
  QuestionPlanner,
} from '../question-planner.js';
import { assemble } from './assemble.js';
import { dayOf } from './calendar.js';
import { fieldsOf, wordsOf } from './fields.js';
import { KnownValues } from './known-values.js';
import { languageOf } from './lexicon.js';
import { phrase } from './phrase.js';
import { readQuestion } from './read-question.js';
import { recognise } from './recognise.js';
import { Refusal, refuseLength } from './refusal.js';
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
      const marks = recognise(tokens, ground);
      const plan = assemble(readQuestion(marks, ground), ground);
      return { plan, say: phrase(plan, language) };
    } catch (error) {
      if (error instanceof Refusal) return { refusal: error.reason[language] };
      throw error;
    }
  }
}
