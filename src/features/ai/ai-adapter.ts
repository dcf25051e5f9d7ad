import { planQuestion, sayPlan } from '@typed-collections/plain-questions';
import type { Settings } from '../../platform/config/settings.js';
import type { OutboundFetch } from '../../platform/outbound/outbound-fetch.js';
import { BuiltinSchemas } from './builtin-schemas/builtin-schemas.js';
import type { AiBudget } from './openai/ai-budget.service.js';
import {
  type CollectionOutline,
  type Planned,
  type PlanningTools,
  QuestionPlanner,
} from './question-planner.js';
import type { SchemaSuggester } from './schema-suggester.js';

/** Plans by the rules of `packages/plain-questions`, without a model: the same question gives the same plan. */
class BuiltinQuestions extends QuestionPlanner {
  async plan(question: string, outline: CollectionOutline, tools: PlanningTools): Promise<Planned> {
    const planned = await planQuestion(question, outline, tools);
    return 'refusal' in planned ? planned : { ...planned, say: sayPlan(question, planned.plan) };
  }
}

/** Answers questions and suggests schemas. The class is also the injection token. */
export abstract class AiAdapter {
  abstract readonly questions: QuestionPlanner;
  abstract readonly schemas: SchemaSuggester;
}

/** The adapter that AI_ADAPTER selects. The client of a language model is imported only if it is used. */
export async function aiAdapter(
  settings: Settings,
  budget: AiBudget,
  outbound: OutboundFetch,
): Promise<AiAdapter> {
  const schemas = new BuiltinSchemas();
  if (settings.AI_ADAPTER === 'builtin') return { questions: new BuiltinQuestions(), schemas };
  const { LanguageModel } = await import('./openai/language-model.js');
  const { OpenAiQuestions } = await import('./openai/openai-questions.js');
  const { OpenAiSchemas } = await import('./openai/openai-schemas.js');
  const model = new LanguageModel(settings, budget, outbound);
  return { questions: new OpenAiQuestions(model), schemas: new OpenAiSchemas(model, schemas) };
}
