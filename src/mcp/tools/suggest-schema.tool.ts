import { Injectable } from '@nestjs/common';
import { SuggestionView, SuggestSchemaBody } from '../../ai/schemas/suggest-schema.dto.js';
import { SuggestSchema } from '../../ai/schemas/suggest-schema.service.js';
import type { Call } from '../../kernel/call.js';
import type { Membership } from '../../kernel/principal.js';
import { OrgTool, type ToolFace } from '../tool.js';
import type { ToolAnswer } from '../tool-answer.js';

@Injectable()
export class SuggestSchemaTool extends OrgTool<SuggestSchemaBody> {
  readonly face: ToolFace = {
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

  constructor(private readonly schemas: SuggestSchema) {
    super();
  }

  protected async act(_: Call, membership: Membership, body: SuggestSchemaBody): Promise<ToolAnswer> {
    return { summary: 'A schema that may fit.', data: await this.schemas.suggest(membership, body) };
  }
}
