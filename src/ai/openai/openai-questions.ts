import { languageOf } from '../builtin-questions/lexicon.js';
import { phrase } from '../builtin-questions/phrase.js';
import {
  type CollectionSight,
  type Plan,
  type Planned,
  type PlanningTools,
  QuestionPlanner,
} from '../question-planner.js';
import type { LanguageModel, Message } from './language-model.js';
import { ModelRefusal } from './model-reply.js';
import { PLAN_FORMAT, planIn } from './plan-reply.js';
import { questionPrompt } from './question-prompt.js';

const REFUSED = 'The language model has no plan for this question. Other words may help.';

/** Plans by a language model. It sees the question, the day and the sight of the collection; it words no answer. */
export class OpenAiQuestions extends QuestionPlanner {
  constructor(private readonly model: LanguageModel) {
    super();
  }

  plan(question: string, sight: CollectionSight, { orgId, today }: PlanningTools): Promise<Planned> {
    return this.planned(orgId, question, questionPrompt(question, sight, today));
  }

  override repair(
    question: string,
    sight: CollectionSight,
    { orgId, today }: PlanningTools,
    { plan, reason }: { plan: Plan; reason: string },
  ): Promise<Planned> {
    return this.planned(orgId, question, [
      ...questionPrompt(question, sight, today),
      { role: 'assistant', content: JSON.stringify(plan) },
      { role: 'user', content: `That read was refused: ${reason}\nPlan another one, or refuse.` },
    ]);
  }

  private async planned(orgId: string, question: string, messages: readonly Message[]): Promise<Planned> {
    try {
      const reply = planIn(await this.model.reply(orgId, messages, PLAN_FORMAT));
      return 'refusal' in reply ? reply : { ...reply, say: phrase(reply.plan, languageOf(question)) };
    } catch (error) {
      if (error instanceof ModelRefusal) return { refusal: REFUSED };
      throw error;
    }
  }
}
