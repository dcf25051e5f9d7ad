import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { Controller, Get, type INestApplication, Injectable, Module, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Clock } from '../../../base/kernel/clock.js';
import { isKnown } from '../entity-tags.js';
import { Requires } from '../requires.decorator.js';
import { openApiDocument } from './openapi.js';
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

type Coding = 'br' | 'gzip' | 'identity';

interface Variant {
  readonly body: Buffer;
  readonly tag: string;
}

/** Compresses nearly as well as the highest quality, in a tenth of the time. */
const BROTLI_QUALITY = 6;

const CODINGS: Record<Coding, (body: Buffer) => Promise<Buffer>> = {
  br: body =>
    promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  gzip: body => promisify(gzip)(body),
  identity: async body => body,
};

/**
 * A file that does not change while the process runs. It is read at the first request, compressed once per coding, and
 * answered with 304 when the client has it.
 */
class PackedFile {
  // biome-ignore lint/plugin/bounded-maps: content codings
  private readonly variants = new Map<Coding, Promise<Variant>>();
  private content: Promise<Buffer> | undefined;

  constructor(
    private readonly type: string,
    private readonly read: () => Promise<Buffer> | Buffer,
  ) {}

  async send(request: Request, response: Response): Promise<void> {
    const coding = codingFor(request);
    const { body, tag } = await this.variant(coding);
    response.setHeader('ETag', `"${tag}"`);
    // Clients must revalidate: the next version of the service has other content at the same address.
    response.setHeader('Cache-Control', 'no-cache');
    response.vary('Accept-Encoding');
    const known = request.headers['if-none-match'];
    if (known !== undefined && isKnown(tag, known)) {
      response.status(304).end();
      return;
    }
    if (coding !== 'identity') response.setHeader('Content-Encoding', coding);
    response.setHeader('Content-Type', this.type);
    response.setHeader('Content-Length', body.length);
    response.end(body);
  }

  private variant(coding: Coding): Promise<Variant> {
    const found = this.variants.get(coding);
    if (found !== undefined) return found;
    const made = this.make(coding);
    this.variants.set(coding, made);
    // A file that could not be read is read again at the next request.
    made.catch(() => {
      this.variants.delete(coding);
      this.content = undefined;
    });
    return made;
  }

  /** Each coding is a separate representation, so it has its own tag (RFC 9110, 8.8.3.3). */
  private async make(coding: Coding): Promise<Variant> {
    this.content ??= Promise.resolve(this.read());
    const content = await this.content;
    const hash = createHash('sha256').update(content).digest('base64url').slice(0, 22);
    return { body: await CODINGS[coding](content), tag: coding === 'identity' ? hash : `${hash}-${coding}` };
  }
}

function codingFor(request: Request): Coding {
  if (request.headers['accept-encoding'] === undefined) return 'identity';
  return (['br', 'gzip'] as const).find(coding => request.acceptsEncodings(coding) === coding) ?? 'identity';
}
