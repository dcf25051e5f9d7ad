import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { INestApplication } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Clock } from '../../kernel/clock.js';
import { openApiDocument } from '../openapi.js';
import { PackedFile } from './packed-file.js';
import { PAGE, SCRIPT, STYLE } from './page.js';

const DIRECTORY = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
const JAVASCRIPT = 'text/javascript; charset=utf-8';
const CSS = 'text/css; charset=utf-8';

/** Swagger UI sets style attributes; nothing else on the page is inline, and everything comes from here. */
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

/** Swagger UI at `/docs` and the description at `/openapi.json`, each made at the first request for it. */
export function serveSwaggerUi(app: INestApplication): void {
  const text = (type: string, content: string) => new PackedFile(type, () => Buffer.from(content));
  const ofPackage = (type: string, name: string) =>
    new PackedFile(type, () => readFile(join(DIRECTORY, name)));
  const page = text('text/html; charset=utf-8', PAGE);
  const files: Record<string, PackedFile> = {
    '/docs': page,
    '/docs/index.html': page,
    '/docs/page.css': text(CSS, STYLE),
    '/docs/page.js': text(JAVASCRIPT, SCRIPT),
    '/docs/swagger-ui.css': ofPackage(CSS, 'swagger-ui.css'),
    '/docs/swagger-ui-bundle.js': ofPackage(JAVASCRIPT, 'swagger-ui-bundle.js'),
    '/docs/favicon-32x32.png': ofPackage('image/png', 'favicon-32x32.png'),
    '/openapi.json': new PackedFile('application/json; charset=utf-8', () =>
      Buffer.from(JSON.stringify(openApiDocument(app, app.get(Clock).now()))),
    ),
  };
  for (const [path, file] of Object.entries(files)) {
    app.getHttpAdapter().get(path, (request: Request, response: Response) => {
      if (file === page) response.setHeader('Content-Security-Policy', POLICY);
      return file.send(request, response);
    });
  }
}
