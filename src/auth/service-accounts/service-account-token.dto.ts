import { ApiProperty } from '@nestjs/swagger';
import { IntegerField, TextField } from '../../http/field.decorators.js';

export class MintServiceAccountTokenBody {
  @TextField({
    max: 200,
    description: 'The secret of the service account.',
    example: 'sas_default_00000000-0000-4000-8000-000000000000',
  })
  clientSecret: string;

  @IntegerField({
    optional: true,
    min: 60,
    default: 3600,
    description: 'Lifetime in seconds, at most ACCESS_TOKENS_MAX_AGE.',
    example: 3600,
  })
  expiresIn?: number;
}

export class ServiceAccountTokenView {
  @ApiProperty({ description: 'A JWT for `Authorization: Bearer`, with the subject `sa:{orgSlug}:{slug}`.' })
  accessToken: string;

  @ApiProperty({ format: 'date-time' })
  expiresAt: string;

  @ApiProperty({ enum: ['Bearer'] })
  tokenType: string;

  @ApiProperty({ type: [String], example: ['collections:read'] })
  permissions: string[];

  @ApiProperty({ type: [String], example: [] })
  scopes: string[];
}
