import { Controller, Get, Header } from '@nestjs/common';
import {
  ApiExcludeEndpoint,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
  ApiTooManyRequestsResponse,
} from '@nestjs/swagger';
import { Settings } from '../../config/settings.js';
import { Requires } from '../../http/requires.decorator.js';
import { discovery } from './discovery.js';
import { DiscoveryView, JwksView } from './jwks.view.js';
import { KeyRing } from './key-ring.js';

@ApiTags('Authentication')
@Controller()
export class JwksController {
  constructor(
    private readonly ring: KeyRing,
    private readonly settings: Settings,
  ) {}

  @Get('oidc/jwks')
  @Header('Cache-Control', 'max-age=300')
  @Requires({ public: true })
  @ApiOperation({ summary: 'Public keys that verify this platform’s JWTs (RFC 7517).' })
  @ApiOkResponse({ type: JwksView })
  @ApiTooManyRequestsResponse({ description: 'Too many requests; try again in a minute.' })
  async listSigningKeys(): Promise<JwksView> {
    return { keys: await this.ring.publicKeys() };
  }

  @Get('oidc/.well-known/openid-configuration')
  @Header('Cache-Control', 'max-age=300')
  @Requires({ public: true })
  @ApiOperation({ summary: 'What the issuer of the JWTs offers (OpenID Connect Discovery, RFC 8414).' })
  @ApiOkResponse({ type: DiscoveryView })
  @ApiTooManyRequestsResponse({ description: 'Too many requests; try again in a minute.' })
  getDiscovery(): DiscoveryView {
    return discovery(this.settings);
  }

  /** RFC 8414, section 3 inserts the well-known part before the issuer's path, OpenID Connect appends it. */
  @Get([
    '.well-known/openid-configuration/oidc',
    '.well-known/oauth-authorization-server',
    '.well-known/oauth-authorization-server/oidc',
  ])
  @Header('Cache-Control', 'max-age=300')
  @Requires({ public: true })
  @ApiExcludeEndpoint()
  getInsertedDiscovery(): DiscoveryView {
    return discovery(this.settings);
  }
}
