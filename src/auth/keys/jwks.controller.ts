import { Controller, Get, Header } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags, ApiTooManyRequestsResponse } from '@nestjs/swagger';
import { Requires } from '../../http/requires.decorator.js';
import { JwksView } from './jwks.view.js';
import { KeyRing } from './key-ring.js';

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
  @ApiTooManyRequestsResponse({ description: 'Too many requests; try again in a minute.' })
  async listSigningKeys(): Promise<JwksView> {
    return { keys: await this.ring.publicKeys() };
  }
}
