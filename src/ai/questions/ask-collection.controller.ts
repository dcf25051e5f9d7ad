import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AccessedToRead, CollectionParam } from '../../collections/accessed.decorator.js';
import type { Access } from '../../collections/collection-access.js';
import { Limited } from '../../http/rate-limit/limited.decorator.js';
import { Requires } from '../../http/requires.decorator.js';
import { AnswerView, AskCollectionBody } from './ask-collection.dto.js';
import { AskCollection } from './ask-collection.service.js';

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
