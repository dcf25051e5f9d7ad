import { type ArgumentsHost, Catch } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Response } from 'express';
import { PlatformError } from '../../../base/kernel/errors.js';
import { Settings } from '../../../platform/config/settings.js';
import { AccessGuard } from '../../../platform/http/access/access.guard.js';
import { ErrorFilter } from '../../../platform/http/error.filter.js';
import type { PlatformRequest } from '../../../platform/http/platform-request.js';
import { isFromOurPages } from '../same-origin.js';
import { clearAccessTokenCookie, sentCredential } from '../sent-credential.js';

/**
 * Signs a browser out whose session has ended already: removes its cookie, which no script can remove. Only for pages of
 * this platform, like every request with the cookie. Answers all other errors as other routes do.
 */
@Catch()
export class SignOutFilter extends ErrorFilter {
  constructor(
    adapterHost: HttpAdapterHost,
    private readonly settings: Settings,
    access: AccessGuard,
  ) {
    super(adapterHost, settings.PUBLIC_URL, access);
  }

  override catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<PlatformRequest>();
    const response = http.getResponse<Response>();
    const isRefused = thrown instanceof PlatformError && thrown.status === 401;
    if (!isRefused || !sendsCookie(request) || !isFromOurPages(request.headers, this.settings)) {
      super.catch(thrown, host);
      return;
    }
    clearAccessTokenCookie(response, this.settings);
    response.status(204).end();
  }
}

function sendsCookie(request: PlatformRequest): boolean {
  try {
    return sentCredential(request).fromCookie;
  } catch {
    return false;
  }
}
