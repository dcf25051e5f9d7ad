import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { APIConnectionError, APIError, APIUserAbortError, OpenAI, OpenAIError } from 'openai';
import type { ChatCompletion } from 'openai/resources/chat/completions';
import type { Presence } from '../../../base/kernel/bounds/deadline.js';
import { PlatformError } from '../../../base/kernel/errors.js';
import { Settings } from '../../../platform/config/settings.js';
import { OutboundError } from '../../../platform/outbound/guarded-connect.js';
import { OutboundFetch } from '../../../platform/outbound/outbound-fetch.js';
import { AiBudget, type TokenUse } from './ai-budget.service.js';

export interface Message {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/** The form that a reply must have. */
export interface ReplyFormat {
  readonly name: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

const MAX_REPLY_BYTES = 256 * 1024;
/** Plain text has three to four bytes per token. The lower figure makes the reservation larger than the use. */
const BYTES_PER_TOKEN = 2;

/** Calls an OpenAI-compatible endpoint within the budget, the time and the retries of the settings. */
export class LanguageModel {
  private readonly logger = new Logger(LanguageModel.name);
  private readonly client: OpenAI;

  constructor(
    private readonly settings: Settings,
    private readonly budget: AiBudget,
    outbound: OutboundFetch,
  ) {
    const limits = { timeoutMs: settings.AI_TIMEOUT_MS, maxBytes: MAX_REPLY_BYTES };
    // The client would read options that are not set from the environment, and its own retries may wait for hours.
    this.client = new OpenAI({
      baseURL: settings.AI_BASE_URL,
      apiKey: settings.AI_API_KEY ?? 'none',
      adminAPIKey: null,
      organization: null,
      project: null,
      webhookSecret: null,
      defaultHeaders: settings.AI_API_KEY === undefined ? { Authorization: null } : {},
      maxRetries: 0,
      timeout: settings.AI_TIMEOUT_MS,
      logLevel: 'off',
      fetch: (address, init) => outbound.fetch(String(address), init, limits),
    });
  }

  get name(): string {
    return this.settings.AI_MODEL as string;
  }

  /**
   * The JSON that the model replies with. The caller must check its form: the model may not follow the format. Throws
   * ModelRefusal when this request gets no JSON, 429 when the budget is spent, 503 when the endpoint fails, and
   * CallerGone as soon as `caller` has disconnected.
   */
  async reply(
    orgId: string,
    messages: readonly Message[],
    format: ReplyFormat,
    caller?: Presence,
  ): Promise<unknown> {
    const timeout = AbortSignal.timeout(this.settings.AI_TIMEOUT_MS);
    const signal = caller === undefined ? timeout : AbortSignal.any([timeout, caller.signal]);
    const ends = performance.now() + this.settings.AI_TIMEOUT_MS;
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.exchange(orgId, messages, format, signal);
      } catch (error) {
        caller?.signal.throwIfAborted();
        if (!isFault(error)) throw error;
        const wait = attempt < this.settings.AI_MAX_RETRIES ? waitAfter(error, attempt) : undefined;
        if (wait === undefined || performance.now() + wait >= ends) throw this.failure(error);
        await sleep(wait, undefined, { signal }).catch(() => undefined);
        caller?.signal.throwIfAborted();
      }
    }
  }

  private async exchange(
    orgId: string,
    messages: readonly Message[],
    { name, schema }: ReplyFormat,
    signal: AbortSignal,
  ): Promise<unknown> {
    const reserved = await this.budget.reserve(orgId, this.mostOf(messages));
    let used: TokenUse | undefined;
    try {
      const completion = await this.client.chat.completions.create(
        {
          model: this.name,
          messages: [...messages],
          max_completion_tokens: this.settings.AI_MAX_OUTPUT_TOKENS,
          response_format: { type: 'json_schema', json_schema: { name, strict: true, schema } },
        },
        { signal },
      );
      used = usageOf(completion);
      return replyOf(completion);
    } catch (error) {
      if (isUnbilled(error)) used = { input: 0, output: 0 };
      throw error;
    } finally {
      if (used !== undefined) await this.budget.settle(reserved, used);
    }
  }

  private mostOf(messages: readonly Message[]): TokenUse {
    const bytes = Buffer.byteLength(JSON.stringify(messages));
    return { input: Math.ceil(bytes / BYTES_PER_TOKEN), output: this.settings.AI_MAX_OUTPUT_TOKENS };
  }

  /** Does not log messages of the endpoint: they may quote the key or the prompt. */
  private failure(fault: Error): Error {
    this.logger.warn(`the language model failed: ${reasonOf(fault)}`);
    if (isAboutRequest(fault)) return new ModelRefusal();
    return new PlatformError(
      'Unavailable',
      'The language model does not answer at the moment. Try again later.',
    );
  }
}

/** No endpoint serves more tokens in one call: a higher count is wrong or malicious. */
const MAX_TOKENS = 100_000_000;

/** More than any plan or schema has, and few enough for recursive functions to walk the value. */
const MAX_BRACKETS = 2_000;

/** The model or its content filter gives no reply of the wanted form to this request. */
export class ModelRefusal extends Error {}

/** The response is not a chat completion. */
class ForeignReply extends Error {}

/** The response is a completion, but its content is not complete JSON. */
class UnusableReply extends Error {}

/** The JSON of a completion. Throws ForeignReply, UnusableReply or ModelRefusal. */
function replyOf(completion: ChatCompletion): unknown {
  const choice = Array.isArray(completion?.choices) ? completion.choices[0] : undefined;
  if (choice?.message?.refusal || choice?.finish_reason === 'content_filter') throw new ModelRefusal();
  const content: unknown = choice?.message?.content;
  if (typeof content !== 'string') throw new ForeignReply('the reply has no content');
  if (choice?.finish_reason === 'length') throw new UnusableReply('the reply was cut off');
  if ((content.match(/[[{]/g)?.length ?? 0) > MAX_BRACKETS) throw new UnusableReply('the reply is too deep');
  try {
    return JSON.parse(content);
  } catch {
    throw new UnusableReply('the reply is not JSON');
  }
}

/** The tokens that the endpoint reports; undefined when it reports none or impossible numbers. */
function usageOf(completion: ChatCompletion): TokenUse | undefined {
  const { prompt_tokens: input, completion_tokens: output } = completion?.usage ?? {};
  return isCount(input) && isCount(output) ? { input, output } : undefined;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= MAX_TOKENS;
}

const FIRST_WAIT_MS = 250;
/** The endpoint refuses the request because of its content, for example its length or its subject. */
const ABOUT_REQUEST = new Set([400, 413, 422]);
const WORTH_A_RETRY = new Set([408, 409, 429]);

/** True for failures of the endpoint or the network. For truncated JSON the client throws a SyntaxError. */
function isFault(error: unknown): error is Error {
  return (
    error instanceof OpenAIError ||
    error instanceof SyntaxError ||
    error instanceof ForeignReply ||
    error instanceof UnusableReply
  );
}

/** True when the failure is due to this request, so that another one may succeed. */
function isAboutRequest(fault: Error): boolean {
  return fault instanceof UnusableReply || ABOUT_REQUEST.has(statusOf(fault) ?? 0);
}

/** True for a call that was refused or never arrived. An aborted call may be billed. */
function isUnbilled(error: unknown): boolean {
  const reason = outboundReason(error);
  return reason === 'unreachable' || reason === 'refused' || statusOf(error) !== undefined;
}

/** Milliseconds to wait before the next attempt; undefined when a retry cannot help. */
function waitAfter(fault: Error, attempt: number): number | undefined {
  const backoff = FIRST_WAIT_MS * 2 ** attempt;
  if (fault instanceof APIConnectionError) {
    return (outboundReason(fault) ?? 'unreachable') === 'unreachable' ? backoff : undefined;
  }
  if (!(fault instanceof OpenAIError)) return 0;
  const status = statusOf(fault);
  if (status === undefined || (status < 500 && !WORTH_A_RETRY.has(status))) return undefined;
  const asked = Number((fault as APIError).headers?.get('retry-after') ?? Number.NaN);
  return asked >= 0 ? asked * 1000 : backoff;
}

/** A description for the log without any text of the endpoint. */
function reasonOf(fault: Error): string {
  if (fault instanceof APIUserAbortError) return 'the language model did not answer in time';
  if (fault instanceof APIConnectionError) {
    return fault.cause instanceof OutboundError ? fault.cause.message : 'no connection';
  }
  const status = statusOf(fault);
  if (status !== undefined) return `status ${status}`;
  return fault instanceof SyntaxError ? 'truncated JSON' : fault.message;
}

function statusOf(error: unknown): number | undefined {
  return error instanceof APIError ? error.status : undefined;
}

function outboundReason(error: unknown): string | undefined {
  return error instanceof APIConnectionError && error.cause instanceof OutboundError
    ? error.cause.reason
    : undefined;
}
