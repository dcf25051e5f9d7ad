import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { OpenAI } from 'openai';
import { Settings } from '../../config/settings.js';
import { PlatformError } from '../../kernel/errors.js';
import { OutboundFetch } from '../../outbound/outbound-fetch.js';
import { AiBudget, type TokenUse } from './ai-budget.service.js';
import { isAboutRequest, isFault, isUnbilled, reasonOf, waitAfter } from './model-faults.js';
import { ModelRefusal, replyOf, usageOf } from './model-reply.js';

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
/** Plain text has three to four bytes a token; taking fewer keeps what is reserved above what will be used. */
const BYTES_PER_TOKEN = 2;

/** An OpenAI-compatible endpoint, within the budget, the time and the retries that the settings allow. */
export class LanguageModel {
  private readonly logger = new Logger(LanguageModel.name);
  private readonly client: OpenAI;

  constructor(
    private readonly settings: Settings,
    private readonly budget: AiBudget,
    outbound: OutboundFetch,
  ) {
    const limits = { timeoutMs: settings.AI_TIMEOUT_MS, maxBytes: MAX_REPLY_BYTES };
    // The client reads the environment for whatever it is not told, and its own retries may wait for hours.
    this.client = new OpenAI({
      baseURL: settings.AI_BASE_URL,
      apiKey: settings.AI_API_KEY ?? 'none',
      ...{ adminAPIKey: null, organization: null, project: null, webhookSecret: null },
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
   * The JSON that the model replies with; its form is asked for, and still has to be judged. Throws ModelRefusal where
   * this request gets no such reply, 429 when the budget is spent, and 503 where no request gets one.
   */
  async reply(orgId: string, messages: readonly Message[], format: ReplyFormat): Promise<unknown> {
    const signal = AbortSignal.timeout(this.settings.AI_TIMEOUT_MS);
    const ends = performance.now() + this.settings.AI_TIMEOUT_MS;
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.exchange(orgId, messages, format, signal);
      } catch (error) {
        if (!isFault(error)) throw error;
        const wait = attempt < this.settings.AI_MAX_RETRIES ? waitAfter(error, attempt) : undefined;
        if (wait === undefined || performance.now() + wait >= ends) throw this.failure(error);
        await sleep(wait);
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

  /** The log gets no message of the other side: it may quote the key, or the prompt. */
  private failure(fault: Error): Error {
    this.logger.warn(`the language model failed: ${reasonOf(fault)}`);
    if (isAboutRequest(fault)) return new ModelRefusal();
    return new PlatformError('Unavailable', 'The language model gives no answer right now. Try again later.');
  }
}
