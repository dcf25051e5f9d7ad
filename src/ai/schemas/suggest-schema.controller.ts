import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ColumnView } from '../../collections/collections.dto.js';
import { RecordsBody } from '../../http/body/body.decorators.js';
import { CallerMembership } from '../../http/platform-request.js';
import { Requires } from '../../http/requires.decorator.js';
import type { Membership } from '../../kernel/principal.js';
import { SuggestionView, SuggestSchemaBody } from './suggest-schema.dto.js';
import { SuggestSchema } from './suggest-schema.service.js';

@ApiTags('AI')
@ApiExtraModels(ColumnView)
@Controller('v1/suggest-schema')
export class SuggestSchemaController {
  constructor(private readonly schemas: SuggestSchema) {}

  @Post()
  @RecordsBody()
  @HttpCode(200)
  @Requires({ product: 'collections:read', everyCollection: true })
  @ApiOperation({ summary: 'Suggest a schema from a description or samples' })
  @ApiOkResponse({ type: SuggestionView })
  suggestSchema(@CallerMembership() membership: Membership, @Body() body: SuggestSchemaBody) {
    return this.schemas.suggest(membership, body);
  }
}
