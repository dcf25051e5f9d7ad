import { ApiProperty } from '@nestjs/swagger';
import type { JWK } from 'jose';

export class JwksView {
  @ApiProperty({
    description: 'Keys as JWKs (RFC 7517); `kid` in a JWT’s header names the one that signed it.',
    type: 'array',
    items: { type: 'object', additionalProperties: true },
    example: [{ kty: 'RSA', n: '0vx7…', e: 'AQAB', kid: 'NzbLsXh8uDCcd', alg: 'RS256', use: 'sig' }],
  })
  keys: JWK[];
}

export class DiscoveryView {
  @ApiProperty({ description: 'The `iss` of every JWT.', example: 'http://127.0.0.1:3000/oidc' })
  issuer: string;

  @ApiProperty({ description: 'Where the public keys are.', example: 'http://127.0.0.1:3000/oidc/jwks' })
  jwks_uri: string;

  @ApiProperty({ type: [String], example: ['openid', 'profile', 'email', 'platform'] })
  scopes_supported: string[];

  @ApiProperty({ type: [String], example: [] })
  response_types_supported: string[];

  @ApiProperty({ type: [String], example: ['public'] })
  subject_types_supported: string[];

  @ApiProperty({ type: [String], example: ['RS256'] })
  id_token_signing_alg_values_supported: string[];
}
