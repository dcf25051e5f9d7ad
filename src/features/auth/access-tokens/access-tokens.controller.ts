import { Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import {
  ApiBadRequestResponse,
  ApiCreatedResponse,
  ApiForbiddenResponse,
  ApiNoContentResponse,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiProperty,
  ApiTags,
  ApiUnauthorizedResponse,
} from '@nestjs/swagger';
import type { Call } from '../../../base/kernel/call.js';
import { DateTimeField, TextField } from '../../../platform/http/field.decorators.js';
import { PageQuery } from '../../../platform/http/list-page.js';
import { Calling } from '../../../platform/http/platform-request.js';
import { Requires } from '../../../platform/http/requires.decorator.js';
import { Body, Query } from '../../../platform/http/validated.decorators.js';
import type { AccessToken } from './access-token.entity.js';
import { AccessTokens, type MintedAccessToken } from './access-tokens.service.js';

export class MintAccessTokenBody {
  @TextField({ max: 200, description: 'What the token is for.', example: 'nightly import' })
  name: string;

  /** The service computes the example that it serves, because a fixed date expires. */
  @DateTimeField({
    description: 'When the token expires: in the future, at most one year from now.',
    example: '2027-05-27T00:00:00.000Z',
  })
  expiresAt: string;
}

export class MintedAccessTokenView {
  @ApiProperty({ format: 'uuid' })
  _id: string;

  @ApiProperty({ example: 'nightly import' })
  name: string;

  @ApiProperty({ format: 'date-time' })
  expiresAt: string;

  @ApiProperty({ format: 'uuid' })
  userId: string;

  @ApiProperty({
    description: 'The token itself. Shown only in this response.',
    example: 'at:wq3nZ0b9Jd5T2m8vYh1cKx7RfL4sPq6uEo0aXg2iNtU',
  })
  token: string;
}

export class AccessTokenView {
  @ApiProperty({ format: 'uuid' })
  _id: string;

  @ApiProperty({ example: 'nightly import' })
  name: string;

  @ApiProperty({ description: 'First characters of the token, to recognize it.', example: 'at:wq3nZ0' })
  prefix: string;

  @ApiProperty({ format: 'uuid' })
  userId: string;

  @ApiProperty({ format: 'date-time' })
  createdAt: string;

  @ApiProperty({ format: 'date-time' })
  expiresAt: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When it was last used, to the minute; null: never.',
  })
  lastUsedAt: string | null;
}

export class AccessTokenListView {
  @ApiProperty({ type: [AccessTokenView] })
  results: AccessTokenView[];

  @ApiProperty({ example: 1 })
  total: number;
}

function mintedAccessTokenView(minted: MintedAccessToken): MintedAccessTokenView {
  const { id, name, expiresAt, userId, token } = minted;
  return { _id: id, name, expiresAt: expiresAt.toISOString(), userId, token };
}

function accessTokenView(token: AccessToken): AccessTokenView {
  return {
    _id: token.id,
    name: token.name,
    prefix: token.prefix,
    userId: token.userId,
    createdAt: token.createdAt.toISOString(),
    expiresAt: token.expiresAt.toISOString(),
    lastUsedAt: token.lastUsedAt?.toISOString() ?? null,
  };
}

@ApiTags('Authentication')
@ApiUnauthorizedResponse({ description: 'The request has no valid credential.' })
@ApiForbiddenResponse({ description: 'Not with an access token or key, and not as an anonymous user.' })
@Controller('v2/user/accessTokens')
export class AccessTokensController {
  constructor(private readonly tokens: AccessTokens) {}

  @Post()
  @Requires({ caller: 'session' })
  @ApiOperation({ summary: 'Mint an access token for your scripts (it is shown only once)' })
  @ApiCreatedResponse({ type: MintedAccessTokenView })
  @ApiBadRequestResponse({
    description: 'A field is missing, or `expiresAt` is in the past or more than one year away.',
  })
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
  @ApiNoContentResponse({ description: 'The token is revoked.' })
  @ApiNotFoundResponse({ description: 'The caller has no access token with this id.' })
  async revokeAccessToken(@Calling() call: Call, @Param('id') id: string): Promise<void> {
    await this.tokens.revoke(call, id);
  }
}
