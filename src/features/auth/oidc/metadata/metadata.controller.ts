import { Controller, Get, Header, Options, Req, Res } from '@nestjs/common';
import { ApiExcludeEndpoint, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { PlatformError } from '../../../../base/kernel/errors.js';
import { Settings } from '../../../../platform/config/settings.js';
import { isResourcePath } from '../../../../platform/http/protected-resource.js';
import { Requires } from '../../../../platform/http/requires.decorator.js';
import { DiscoveryView, discovery, ProtectedResourceView, protectedResource } from './discovery.js';

const RESOURCE = '.well-known/oauth-protected-resource';

/**
 * RFC 8414, section 3 puts the well-known part before the path of the issuer; OpenID Connect puts it after the path.
 */
const INSERTED = [
  '.well-known/openid-configuration/oidc',
  '.well-known/oauth-authorization-server',
  '.well-known/oauth-authorization-server/oidc',
];

/** The documents that clients read first, to find everything else. */
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

  /** The answer is the same whether or not the collection exists. */
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

/** Seconds for which a browser may cache the answer to a preflight request. */
const MAX_AGE = '3600';

/** Answers a preflight request: any origin may call, without cookies (Fetch standard, 3.2). */
export function allowBrowsers(response: Response, methods: string): void {
  response.setHeader('Access-Control-Allow-Origin', '*');
  response.setHeader('Access-Control-Allow-Methods', methods);
  response.setHeader('Access-Control-Allow-Headers', 'Authorization, Content-Type, MCP-Protocol-Version');
  response.setHeader('Access-Control-Max-Age', MAX_AGE);
  response.status(204).end();
}
