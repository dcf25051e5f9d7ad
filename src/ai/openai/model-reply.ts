import type { ChatCompletion } from 'openai/resources/chat/completions';
import type { TokenUse } from './ai-budget.service.js';

/** No endpoint of any kind serves more in one exchange: a higher count is a fault of it, or malice. */
const MAX_TOKENS = 100_000_000;

/** More than any plan or schema opens, and few enough that a value of that depth can be walked. */
const MAX_BRACKETS = 2_000;

/** The model, or what guards it, has no reply of the wanted form to this request. */
export class ModelRefusal extends Error {}

/** What came back is no completion. */
export class ForeignReply extends Error {}

/** What came back is a completion, but its content is not the JSON that was asked for. */
export class UnusableReply extends Error {}

/** The JSON of a completion, whatever the endpoint sent as one. Throws ForeignReply, UnusableReply or ModelRefusal. */
export function replyOf(completion: ChatCompletion): unknown {
  const choice = Array.isArray(completion?.choices) ? completion.choices[0] : undefined;
  if (choice?.message?.refusal || choice?.finish_reason === 'content_filter') throw new ModelRefusal();
  const content: unknown = choice?.message?.content;
  if (typeof content !== 'string') throw new ForeignReply('the reply has no content');
  if (choice?.finish_reason === 'length') throw new UnusableReply('the reply was cut off');
  if ((content.match(/[[{]/g)?.length ?? 0) > MAX_BRACKETS) throw new UnusableReply('the reply is too deep');
  try {
    return JSON.parse(content);
  } catch {
    throw new UnusableReply('the reply is no JSON');
  }
}

/** What an exchange has used, if the endpoint says so in numbers that can be. */
export function usageOf(completion: ChatCompletion): TokenUse | undefined {
  const { prompt_tokens: input, completion_tokens: output } = completion?.usage ?? {};
  return isCount(input) && isCount(output) ? { input, output } : undefined;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= MAX_TOKENS;
}
