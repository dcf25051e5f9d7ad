import { INVALID_REQUEST, PARSE_ERROR } from '@modelcontextprotocol/server';
import { type ArgumentsHost, Catch } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Response } from 'express';
import { PlatformError } from '../../../base/kernel/errors.js';
import { Settings } from '../../../platform/config/settings.js';
import { AccessGuard } from '../../../platform/http/access/access.guard.js';
import { ErrorFilter } from '../../../platform/http/error.filter.js';
import { InvalidToken } from '../../../platform/http/failures.js';
import type { PlatformRequest } from '../../../platform/http/platform-request.js';
import { answerFault } from './transport.js';

/** HTTP status of a body that cannot be read to the JSON-RPC error code. */
const FAULTS: Readonly<Record<number, number>> = {
  400: PARSE_ERROR,
  413: INVALID_REQUEST,
  415: INVALID_REQUEST,
};

/** Helps operators: MCP clients only report that they cannot register. */
const CLOSED =
  'Send x-platform-api-key, or use a client whose client_id is the https URL of its metadata. Clients can register ' +
  'themselves only if the service has OIDC_DYNAMIC_REGISTRATION=on.';

/** Answers an unreadable body of an admitted caller with a JSON-RPC error, and all other errors as REST does. */
@Catch()
export class McpErrorFilter extends ErrorFilter {
  private readonly isClosed: boolean;

  constructor(adapterHost: HttpAdapterHost, settings: Settings, access: AccessGuard) {
    super(adapterHost, settings.PUBLIC_URL, access);
    this.isClosed = settings.OIDC_DYNAMIC_REGISTRATION === 'off';
  }

  override catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const wasAdmitted = http.getRequest<PlatformRequest>().membership !== undefined;
    const fault = thrown instanceof PlatformError && wasAdmitted ? FAULTS[thrown.status] : undefined;
    if (fault === undefined) {
      super.catch(this.isClosed ? withSignInHelp(thrown) : thrown, host);
      return;
    }
    const { status, message, code } = thrown as PlatformError;
    answerFault(http.getResponse<Response>(), status, fault, message, { error: code });
  }
}

/** Adds the advice to a 401, except after an invalid token: that client has signed in before. */
function withSignInHelp(thrown: unknown): unknown {
  if (!(thrown instanceof PlatformError) || thrown.status !== 401 || thrown instanceof InvalidToken)
    return thrown;
  return new PlatformError(thrown.code, `${thrown.message} ${CLOSED}`);
}
