import { ApiProperty } from '@nestjs/swagger';
import { ChoiceField, IntegerField, TextField } from '../../http/field.decorators.js';

export class ExchangeTokenBody {
  @TextField({ max: 200, description: 'Slug of the provider that issued the token.', example: 'acme-staff' })
  provider: string;

  @TextField({
    max: 16_384,
    description: 'The id_token to exchange.',
    example: 'eyJhbGciOiJSUzI1NiIs…',
  })
  subject_token: string;

  @IntegerField({
    optional: true,
    min: 60,
    description: 'Seconds until the session ends, at most ACCESS_TOKENS_MAX_AGE (the default).',
    example: 3600,
  })
  expiresAfter?: number;

  @ChoiceField(['urn:ietf:params:oauth:token-type:id_token'], {
    optional: true,
    description: 'Type of `subject_token` (RFC 8693, section 3).',
    example: 'urn:ietf:params:oauth:token-type:id_token',
  })
  subject_token_type?: string;

  @ChoiceField(['urn:ietf:params:oauth:grant-type:token-exchange'], {
    optional: true,
    description: 'Accepted because OAuth libraries send it (RFC 8693, section 2.1). Optional.',
    example: 'urn:ietf:params:oauth:grant-type:token-exchange',
  })
  grant_type?: string;
}

export class ExchangedTokenView {
  @ApiProperty({ format: 'uuid', description: 'Id of the user.' })
  id: string;

  @ApiProperty({ type: String, nullable: true, example: 'ada@example.com' })
  email: string | null;

  @ApiProperty({ format: 'uuid' })
  sessionId: string;

  @ApiProperty({ description: 'JWT of the session.', example: 'eyJhbGciOiJSUzI1NiIs…' })
  token: string;

  @ApiProperty({ format: 'date-time' })
  expires: string;
}
