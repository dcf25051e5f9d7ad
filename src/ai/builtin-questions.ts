import { planQuestion } from '../plain-questions/plain-questions.js';
import { sayPlan } from './answers/say-plan.js';
import {
  type CollectionSight,
  type Planned,
  type PlanningTools,
  QuestionPlanner,
} from './question-planner.js';

/** Plans by the rules of `src/plain-questions`, without a model: the same question gives the same plan. */
export class BuiltinQuestions extends QuestionPlanner {
  async plan(question: string, sight: CollectionSight, tools: PlanningTools): Promise<Planned> {
    const planned = await planQuestion(question, sight, tools);
    return 'refusal' in planned ? planned : { ...planned, say: sayPlan(question, planned.plan) };
  }
}
