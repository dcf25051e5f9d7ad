import { Controller, Get, Header, Options, Req, Res } from '@nestjs/common';
import { ApiExcludeEndpoint, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Settings } from '../../../config/settings.js';
import { isResourcePath } from '../../../http/protected-resource.js';
import { Requires } from '../../../http/requires.decorator.js';
import { PlatformError } from '../../../kernel/errors.js';
import { allowBrowsers } from '../browser-access.js';
import { discovery, protectedResource } from './discovery.js';
import { DiscoveryView, ProtectedResourceView } from './metadata.view.js';

const RESOURCE = '.well-known/oauth-protected-resource';

/** RFC 8414, section 3 inserts the well-known part before the issuer's path, OpenID Connect appends it. */
const INSERTED = [
  '.well-known/openid-configuration/oidc',
  '.well-known/oauth-authorization-server',
  '.well-known/oauth-authorization-server/oidc',
];

/** What clients read before they know anything else of the platform. */
@ApiTags('Authorization server')
@Controller()
export class MetadataController {
  constructor(private readonly settings: Settings) {}

  @Get('oidc/.well-known/openid-configuration')
  @Header('Cache-Control', 'max-age=300')
  @Header('Access-Control-Allow-Origin', '*')
  @Requires({ public: true })
  @ApiOperation({
    summary: 'Read the metadata of the authorization server (OpenID Connect Discovery, RFC 8414)',
  })
  @ApiOkResponse({ type: DiscoveryView })
  getDiscovery(): DiscoveryView {
    return discovery(this.settings);
  }

  @Get(INSERTED)
  @Header('Cache-Control', 'max-age=300')
  @Header('Access-Control-Allow-Origin', '*')
  @Requires({ public: true })
  @ApiExcludeEndpoint()
  getInsertedDiscovery(): DiscoveryView {
    return discovery(this.settings);
  }

  @Get(RESOURCE)
  @Header('Cache-Control', 'max-age=300')
  @Header('Access-Control-Allow-Origin', '*')
  @Requires({ public: true })
  @ApiOperation({ summary: 'Read which authorization server issues tokens for this API (RFC 9728)' })
  @ApiOkResponse({ type: ProtectedResourceView })
  getProtectedResource(): ProtectedResourceView {
    return protectedResource(this.settings, '');
  }

  /** The same for a collection that exists and one that does not: nothing is looked up. */
  @Get(`${RESOURCE}/*path`)
  @Header('Cache-Control', 'max-age=300')
  @Header('Access-Control-Allow-Origin', '*')
  @Requires({ public: true })
  @ApiExcludeEndpoint()
  getProtectedResourceAt(@Req() request: Request): ProtectedResourceView {
    const path = request.path.slice(`/${RESOURCE}`.length);
    if (!isResourcePath(path))
      throw new PlatformError('NotFound', `There is no protected resource at ${path}.`);
    return protectedResource(this.settings, path);
  }

  @Options(['oidc/jwks', 'oidc/.well-known/openid-configuration', ...INSERTED, RESOURCE, `${RESOURCE}/*path`])
  @Requires({ public: true })
  @ApiExcludeEndpoint()
  preflightOfMetadata(@Res() response: Response): void {
    allowBrowsers(response, 'GET');
  }
}
