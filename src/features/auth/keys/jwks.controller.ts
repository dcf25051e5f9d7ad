import { Controller, Get, Header } from '@nestjs/common';
import {
  ApiOkResponse,
  ApiOperation,
  ApiProperty,
  ApiTags,
  ApiTooManyRequestsResponse,
} from '@nestjs/swagger';
import type { JWK } from 'jose';
import { Requires } from '../../../platform/http/requires.decorator.js';
import { KeyRing } from './key-ring.js';

export class JwksView {
  @ApiProperty({
    description: 'Public keys as JWKs (RFC 7517). `kid` in the header of a JWT names the key that signed it.',
    type: 'array',
    items: { type: 'object', additionalProperties: true },
    example: [{ kty: 'RSA', n: '0vx7…', e: 'AQAB', kid: 'NzbLsXh8uDCcd', alg: 'RS256', use: 'sig' }],
  })
  keys: JWK[];
}

@ApiTags('Authentication')
@Controller()
export class JwksController {
  constructor(private readonly ring: KeyRing) {}

  @Get('oidc/jwks')
  @Header('Cache-Control', 'max-age=300')
  @Header('Access-Control-Allow-Origin', '*')
  @Requires({ public: true })
  @ApiOperation({ summary: 'List the public keys that verify JWTs of this platform (RFC 7517)' })
  @ApiOkResponse({ type: JwksView })
  @ApiTooManyRequestsResponse({ description: 'Too many requests. Retry in a minute.' })
  async listSigningKeys(): Promise<JwksView> {
    return { keys: await this.ring.publicKeys() };
  }
}
