import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { html, type Page } from '../../http/html-page.js';
import type { PlatformRequest } from '../../http/platform-request.js';
import { invalid, type PlatformError } from '../../kernel/errors.js';
import { authenticate } from '../strategies/authenticate.js';
import { WebSessionTicketStrategy } from '../strategies/web-session-ticket.strategy.js';

/** Burns the ticket of an exchange. Whatever the answer, its URL holds a secret: no referrer, no store. */
@Injectable()
export class WebSessionTicketGuard implements CanActivate {
  constructor(private readonly strategy: WebSessionTicketStrategy) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const response = context.switchToHttp().getResponse<Response>();
    response.setHeader('Referrer-Policy', 'no-referrer');
    response.setHeader('Cache-Control', 'no-store');
    const request = context.switchToHttp().getRequest<PlatformRequest>();
    request.refusalPage = deadLinkPage;
    if (isPrefetch(request)) {
      throw invalid('A page that is only fetched ahead exchanges no ticket; open the link.');
    }
    request.principal = await authenticate(this.strategy, request);
    return true;
  }
}

/** Browsers say so when they load what may be wanted later (Fetch, `Sec-Purpose`; before that, two others). */
function isPrefetch({ headers }: Request): boolean {
  return ['sec-purpose', 'purpose', 'x-moz'].some(name => /prefetch/i.test(String(headers[name] ?? '')));
}

/** What a person sees whose sign-in link does not work, whatever the reason. */
function deadLinkPage({ status, message }: PlatformError): Page {
  return {
    title: 'This sign-in link does not work',
    main: html`${status === 401 ? USED : html`<p>${message}</p>`}
<p>Get a new link. Where the service runs, this prints one:</p>
<p><code>npm run cli -- sign-in</code></p>
<p>If somebody sent you the link, ask them for a new one. <a href="/">More about this service</a></p>`,
  };
}

const USED = html`<p>It was used already, has expired, or is not complete. Each link works once, and for a few minutes only.</p>`;
