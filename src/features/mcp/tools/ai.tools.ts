import { Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import type { Presence } from '../../../base/kernel/bounds/deadline.js';
import type { Call } from '../../../base/kernel/call.js';
import type { Membership } from '../../../base/kernel/principal.js';
import { RateLimits } from '../../../platform/http/rate-limit/rate-limit.step.js';
import { AnswerView, AskCollection, AskCollectionBody } from '../../ai/questions/ask-collection.service.js';
import { SuggestionView, SuggestSchema, SuggestSchemaBody } from '../../ai/suggest-schema.service.js';
import { type Access, CollectionAccess } from '../../collections/collection-access.js';
import { CollectionIdField, CollectionTool, OrgTool, type ToolInfo } from './tool.js';
import { beginningOf, ResultBudget, type ToolAnswer } from './tool-answer.js';

@Injectable()
export class SuggestSchemaTool extends OrgTool<SuggestSchemaBody> {
  readonly info: ToolInfo = {
    name: 'suggest_schema',
    title: 'Suggest a schema',
    description:
      'Suggests columns for a new collection, from a description or from sample records. Creates nothing: pass the ' +
      'properties on to data_create_collection.',
    readOnly: true,
    idempotent: true,
  };
  readonly arguments = SuggestSchemaBody;
  readonly answer = SuggestionView;
  readonly permission = 'collections:read';

  constructor(
    private readonly schemas: SuggestSchema,
    private readonly limits: RateLimits,
  ) {
    super();
  }

  protected async act(
    { principal }: Call,
    membership: Membership,
    body: SuggestSchemaBody,
    caller: Presence,
  ): Promise<ToolAnswer> {
    this.limits.spend('ask', principal);
    return { summary: 'A suggested schema.', data: await this.schemas.suggest(membership, caller, body) };
  }
}

class AskArguments extends AskCollectionBody {
  @CollectionIdField()
  collection_id: string;
}

class AskAnswer extends AnswerView {
  @ApiProperty({ description: 'Not all of the data is shown: send the plan to the tool it names.' })
  truncated: boolean;
}

@Injectable()
export class AskCollectionTool extends CollectionTool<AskArguments> {
  readonly info: ToolInfo = {
    name: 'ask_collection',
    title: 'Ask a question',
    description:
      'Answers a question in English or French by reading the collection: a sentence, the plan of the read, or of ' +
      'several, and their data. A question that the data cannot answer gets the reason, and plan null.',
    readOnly: true,
  };
  readonly arguments = AskArguments;
  readonly answer = AskAnswer;
  readonly right = 'read';
  readonly versionCheck = false;

  constructor(
    accesses: CollectionAccess,
    private readonly questions: AskCollection,
    private readonly limits: RateLimits,
    private readonly budget: ResultBudget,
  ) {
    super(accesses);
  }

  protected async act({ principal }: Call, access: Access, { question }: AskArguments): Promise<ToolAnswer> {
    this.limits.spend('ask', principal);
    const { answer, plan, data: all } = await this.questions.ask(access, question);
    const spent = Buffer.byteLength(JSON.stringify({ answer, plan }));
    let truncated = false;
    const data = Object.fromEntries(
      Object.entries(all).map(([name, value]) => {
        if (!Array.isArray(value)) return [name, value];
        const shown = beginningOf(value, this.budget.list - spent);
        truncated ||= shown.length < value.length;
        return [name, shown];
      }),
    );
    const summary =
      plan === null
        ? 'The question was not answered: `answer` says why. Use data_query or data_aggregate instead.'
        : 'The answer, and the data it comes from.';
    return { summary, data: { answer, plan, data, truncated } };
  }
}
