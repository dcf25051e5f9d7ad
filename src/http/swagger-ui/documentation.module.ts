import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Controller, Get, type INestApplication, Injectable, Module, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Clock } from '../../kernel/clock.js';
import { openApiDocument } from '../openapi.js';
import { Requires } from '../requires.decorator.js';
import { PackedFile } from './packed-file.js';
import { PAGE, SCRIPT, STYLE } from './page.js';

const DIRECTORY = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
const JAVASCRIPT = 'text/javascript; charset=utf-8';
const CSS = 'text/css; charset=utf-8';

/** Swagger UI sets style attributes. Everything else is loaded from this service; nothing else is inline. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** The application that `/openapi.json` describes. `setUpApp` sets it, because Nest does not inject an application. */
@Injectable()
export class DescribedApp {
  app: INestApplication | undefined;

  constructor(private readonly clock: Clock) {}

  document(): Buffer {
    if (this.app === undefined) throw new Error('setUpApp has not set the application');
    return Buffer.from(JSON.stringify(openApiDocument(this.app, this.clock.now())));
  }
}

const text = (type: string, content: string) => () => new PackedFile(type, () => Buffer.from(content));
const ofPackage = (type: string, name: string) => () =>
  new PackedFile(type, () => readFile(join(DIRECTORY, name)));
const page = text('text/html; charset=utf-8', PAGE);

/** Files by path. Each one is read or generated at its first request. */
const FILES: Readonly<Record<string, (described: DescribedApp) => PackedFile>> = {
  '/docs': page,
  '/docs/index.html': page,
  '/docs/page.css': text(CSS, STYLE),
  '/docs/page.js': text(JAVASCRIPT, SCRIPT),
  '/docs/swagger-ui.css': ofPackage(CSS, 'swagger-ui.css'),
  '/docs/swagger-ui-bundle.js': ofPackage(JAVASCRIPT, 'swagger-ui-bundle.js'),
  '/docs/favicon-32x32.png': ofPackage('image/png', 'favicon-32x32.png'),
  '/openapi.json': described => new PackedFile('application/json; charset=utf-8', () => described.document()),
};

/** Swagger UI at `/docs` and the description at `/openapi.json`. */
@ApiExcludeController()
@Controller()
class DocumentationController {
  private readonly files: ReadonlyMap<string, PackedFile>;

  constructor(described: DescribedApp) {
    this.files = new Map(Object.entries(FILES).map(([path, fileFor]) => [path, fileFor(described)]));
  }

  @Get(Object.keys(FILES))
  @Requires({ public: true })
  getDocumentation(@Req() request: Request, @Res() response: Response): Promise<void> {
    // Uses the registered path, because the router ignores case and a trailing slash.
    const path = request.route.path as string;
    if (FILES[path] === page) response.setHeader('Content-Security-Policy', POLICY);
    return (this.files.get(path) as PackedFile).send(request, response);
  }
}

@Module({ controllers: [DocumentationController], providers: [DescribedApp] })
export class DocumentationModule {}
