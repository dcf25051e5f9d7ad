import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import {
  ApiBadRequestResponse,
  ApiCreatedResponse,
  ApiForbiddenResponse,
  ApiNoContentResponse,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
  ApiUnauthorizedResponse,
} from '@nestjs/swagger';
import { Calling } from '../../http/call.decorator.js';
import { PageQuery } from '../../http/page.query.js';
import { Requires } from '../../http/requires.decorator.js';
import type { Call } from '../../kernel/call.js';
import {
  AccessTokenListView,
  accessTokenView,
  MintAccessTokenBody,
  MintedAccessTokenView,
  mintedAccessTokenView,
} from './access-tokens.dto.js';
import { AccessTokens } from './access-tokens.service.js';

@ApiTags('Authentication')
@ApiUnauthorizedResponse({ description: 'No valid credential.' })
@ApiForbiddenResponse({ description: 'Not with an access token or key, and not as an anonymous user.' })
@Controller('v2/user/accessTokens')
export class AccessTokensController {
  constructor(private readonly tokens: AccessTokens) {}

  @Post()
  @Requires({ caller: 'session' })
  @ApiOperation({ summary: 'Mint an access token for your scripts (it is shown only once)' })
  @ApiCreatedResponse({ type: MintedAccessTokenView })
  @ApiBadRequestResponse({ description: 'A field is missing, or expiresAt is past or too far away.' })
  async mintAccessToken(
    @Calling() call: Call,
    @Body() body: MintAccessTokenBody,
  ): Promise<MintedAccessTokenView> {
    return mintedAccessTokenView(await this.tokens.mintOwn(call, body.name, new Date(body.expiresAt)));
  }

  @Get()
  @Requires({ caller: 'session' })
  @ApiOperation({ summary: 'List your access tokens, newest first, without the tokens themselves' })
  @ApiOkResponse({ type: AccessTokenListView })
  async listAccessTokens(@Calling() call: Call, @Query() query: PageQuery): Promise<AccessTokenListView> {
    const [tokens, total] = await this.tokens.list(call.principal.id, query);
    return { results: tokens.map(accessTokenView), total };
  }

  @Delete(':id')
  @HttpCode(204)
  @Requires({ caller: 'session' })
  @ApiOperation({ summary: 'Revoke one of your access tokens' })
  @ApiParam({ name: 'id', format: 'uuid' })
  @ApiNoContentResponse({ description: 'The token is void.' })
  @ApiNotFoundResponse({ description: 'The caller has no such token.' })
  async revokeAccessToken(@Calling() call: Call, @Param('id') id: string): Promise<void> {
    await this.tokens.revoke(call, id);
  }
}
