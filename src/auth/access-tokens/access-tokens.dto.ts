import { ApiProperty } from '@nestjs/swagger';
import { DateTimeField, TextField } from '../../http/field.decorators.js';
import type { AccessToken } from './access-token.entity.js';
import type { MintedAccessToken } from './access-tokens.service.js';

export class MintAccessTokenBody {
  @TextField({ max: 200, description: 'What the token is for.', example: 'nightly import' })
  name: string;

  /** Its example is counted from the day on which the description is served: no fixed date stays within a year. */
  @DateTimeField({ description: 'When the token ends: in the future, at most one year from now.' })
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
    description: 'The token. Shown this once.',
    example: 'at:wq3nZ0b9Jd5T2m8vYh1cKx7RfL4sPq6uEo0aXg2iNtU',
  })
  token: string;
}

export class AccessTokenView {
  @ApiProperty({ format: 'uuid' })
  _id: string;

  @ApiProperty({ example: 'nightly import' })
  name: string;

  @ApiProperty({ description: 'How the token begins.', example: 'at:wq3nZ0' })
  prefix: string;

  @ApiProperty({ format: 'uuid' })
  userId: string;

  @ApiProperty({ format: 'date-time' })
  createdAt: string;

  @ApiProperty({ format: 'date-time' })
  expiresAt: string;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'To the minute.' })
  lastUsedAt: string | null;
}

export class AccessTokenListView {
  @ApiProperty({ type: [AccessTokenView] })
  results: AccessTokenView[];

  @ApiProperty({ example: 1 })
  total: number;
}

export function mintedAccessTokenView(minted: MintedAccessToken): MintedAccessTokenView {
  const { id, name, expiresAt, userId, token } = minted;
  return { _id: id, name, expiresAt: expiresAt.toISOString(), userId, token };
}

export function accessTokenView(token: AccessToken): AccessTokenView {
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
