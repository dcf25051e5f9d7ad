import { Controller, Get, Module, Req, Res } from '@nestjs/common';
import { ApiFoundResponse, ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { VERSION } from '../../base/kernel/version.js';
import { Settings } from '../config/settings.js';
import { html, type Page, prefersPage, sendPage } from './html-page.js';
import { Requires } from './requires.decorator.js';

const NAME = 'typed-collections';

class RootLinksView {
  @ApiProperty({ example: '/v1/collections' }) collections: string;
  @ApiProperty({ example: '/v1/mcp' }) mcp: string;
  @ApiProperty({ example: '/health/ready' }) health: string;
  @ApiProperty({
    required: false,
    description: 'URL of the API documentation; absent with DOCS=off.',
    example: '/docs',
  })
  docs?: string;
  @ApiProperty({
    required: false,
    description: 'URL of the API documentation; absent with DOCS=off.',
    example: '/openapi.json',
  })
  openapi?: string;
}

class RootView {
  @ApiProperty({ example: NAME }) name: string;
  @ApiProperty({ example: VERSION }) version: string;
  @ApiProperty({ type: RootLinksView }) links: RootLinksView;
}

/** The response at the address of the service itself: the console or a page for people, JSON for programs. */
@ApiTags('Health')
@Controller()
class RootController {
  constructor(private readonly settings: Settings) {}

  @Get()
  @Requires({ public: true })
  @ApiOperation({ summary: 'Read the name and version of the service, and where to go from here' })
  @ApiOkResponse({
    type: RootView,
    description:
      'The name, version and links of the service: JSON, or the same as an HTML page for browsers if there is no console.',
  })
  @ApiFoundResponse({ description: 'Browsers are sent to the console at `/console`, unless CONSOLE=off.' })
  getRoot(@Req() request: Request, @Res({ passthrough: true }) response: Response): RootView | undefined {
    response.setHeader('Vary', 'Accept');
    const docs = this.settings.DOCS === 'on';
    if (prefersPage(request) && this.settings.CONSOLE === 'on') {
      response.redirect(302, '/console');
      return undefined;
    }
    if (prefersPage(request)) {
      sendPage(response, rootPage(docs));
      return undefined;
    }
    const links = { collections: '/v1/collections', mcp: '/v1/mcp', health: '/health/ready' };
    return {
      name: NAME,
      version: VERSION,
      links: docs ? { ...links, docs: '/docs', openapi: '/openapi.json' } : links,
    };
  }
}

function rootPage(docs: boolean): Page {
  return {
    title: 'Typed Collections',
    main: html`<p>This is the API of Typed Collections, a service that stores typed records. Its only pages are those for signing in.</p>
${docs ? DOCS : html``}
<p>To sign in, open a one-time sign-in link. Where the service runs, this prints one:</p>
<p><code>npm run cli -- sign-in</code></p>
<p>Programs send an API key or an access token instead.</p>`,
  };
}

const DOCS = html`<ul>
<li><a href="/docs">All operations, to read and to try out</a></li>
<li><a href="/openapi.json">The same as an OpenAPI file</a></li>
</ul>`;

@Module({ controllers: [RootController] })
export class RootModule {}
