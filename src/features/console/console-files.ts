import { existsSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Request, Response } from 'express';
import sirv from 'sirv';
import { PlatformError } from '../../base/kernel/errors.js';
import { html, type Page, prefersPage, sendPage } from '../../platform/http/html-page.js';

/** Where the console is served. */
const CONSOLE_PATH = '/console';

const IS_BUILT = import.meta.url.includes('/dist/src/');

/** Where `npm run build` puts the console. */
export const CONSOLE_DIRECTORY = fileURLToPath(
  new URL(IS_BUILT ? '../../../console' : '../../../dist/console', import.meta.url),
);

/** Nothing inline, nothing of another origin, no frames. */
const POLICY = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** Files whose names contain a hash of their content. */
const HASHED = '/assets/';
const FOREVER = 'public, max-age=31536000, immutable';
const REVALIDATED = 'no-cache';

type Serve = ReturnType<typeof sirv>;

/** The files of the built console, with their compressed variants. The list of files is read once. */
export class ConsoleFiles {
  private readonly serve: Serve | undefined;

  constructor(directory = CONSOLE_DIRECTORY) {
    if (!existsSync(join(directory, 'index.html'))) return;
    this.serve = sirv(directory, { brotli: true, gzip: true, etag: true });
  }

  /** False if the console was not built: every address then shows how to build it. */
  get areBuilt(): boolean {
    return this.serve !== undefined;
  }

  /**
   * Sends the file of an address below /console. A page that a browser opens, but that is not a file, is index.html:
   * its script reads the address. Throws 404 for everything else.
   */
  send(request: Request, response: Response): void {
    const { serve } = this;
    if (serve === undefined) {
      sendPage(response, NOT_BUILT, 503);
      return;
    }
    const path = request.path.slice(CONSOLE_PATH.length) || '/';
    response.setHeader('Content-Security-Policy', POLICY);
    response.setHeader('Cache-Control', path.startsWith(HASHED) ? FOREVER : REVALIDATED);
    // Without `Range`: the files are small, and a part of a compressed file is of no use.
    const { range, ...headers } = request.headers;
    const file = (url: string) => ({ url, headers }) as IncomingMessage;
    serve(file(path), response, () => {
      if (path.startsWith(HASHED) || !prefersPage(request)) {
        response.removeHeader('Cache-Control');
        throw new PlatformError('NotFound', 'The console has no file with this name.');
      }
      response.vary('Accept');
      serve(file('/index.html'), response);
    });
  }
}

const NOT_BUILT: Page = {
  title: 'The console is not built',
  main: html`<p>This installation lacks the files of the console. The API works without them.</p>
<p>In the directory of the service, this builds them. Restart the service afterwards:</p>
<p><code>npm run build</code></p>`,
};
