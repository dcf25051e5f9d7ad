import { Controller, HttpCode, Post } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Presence } from '../../base/kernel/bounds/deadline.js';
import type { Membership } from '../../base/kernel/principal.js';
import { RecordsBody } from '../../platform/http/body/body.decorators.js';
import { CallerMembership, Client } from '../../platform/http/platform-request.js';
import { Limited } from '../../platform/http/rate-limit/limited.decorator.js';
import { Requires } from '../../platform/http/requires.decorator.js';
import { Body } from '../../platform/http/validated.decorators.js';
import { AccessedToRead, CollectionParam } from '../collections/collection.step.js';
import type { Access } from '../collections/collection-access.js';
import { ColumnView } from '../collections/collection-view.js';
import { AnswerView, AskCollection, AskCollectionBody } from './questions/ask-collection.service.js';
import { SuggestionView, SuggestSchema, SuggestSchemaBody } from './suggest-schema.service.js';

@ApiTags('AI')
@CollectionParam()
@Controller('v1/collections/:collection_id/ask')
export class AskCollectionController {
  constructor(private readonly questions: AskCollection) {}

  @Post()
  @HttpCode(200)
  @Limited('ask')
  @Requires({ collection: 'read' })
  @ApiOperation({ summary: 'Ask a question in plain language' })
  @ApiOkResponse({ type: AnswerView })
  askCollection(@AccessedToRead() access: Access, @Body() { question }: AskCollectionBody) {
    return this.questions.ask(access, question);
  }
}

@ApiTags('AI')
@ApiExtraModels(ColumnView)
@Controller('v1/suggest-schema')
export class SuggestSchemaController {
  constructor(private readonly schemas: SuggestSchema) {}

  @Post()
  @RecordsBody()
  @HttpCode(200)
  @Limited('ask')
  @Requires({ product: 'collections:read', everyCollection: true })
  @ApiOperation({ summary: 'Suggest a schema from a description or samples' })
  @ApiOkResponse({ type: SuggestionView })
  suggestSchema(
    @CallerMembership() membership: Membership,
    @Client() client: Presence,
    @Body() body: SuggestSchemaBody,
  ) {
    return this.schemas.suggest(membership, client, body);
  }
}
