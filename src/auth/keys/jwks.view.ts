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
