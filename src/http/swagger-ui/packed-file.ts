import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Request, Response } from 'express';
import { isKnown } from '../entity-tags.js';

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
export class PackedFile {
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
