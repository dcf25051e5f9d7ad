import type { Settings } from '../config/settings.js';
import type { OutboundFetch } from '../outbound/outbound-fetch.js';
import { BuiltinQuestions } from './builtin-questions.js';
import { BuiltinSchemas } from './builtin-schemas/builtin-schemas.js';
import type { AiBudget } from './openai/ai-budget.service.js';
import type { QuestionPlanner } from './question-planner.js';
import type { SchemaSuggester } from './schema-suggester.js';

/** Who thinks behind questions and schemas. Injected by this class. */
export abstract class AiAdapter {
  abstract readonly questions: QuestionPlanner;
  abstract readonly schemas: SchemaSuggester;
}

/** The adapter that AI_ADAPTER names. A client of a language model is loaded by those only who use one. */
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
