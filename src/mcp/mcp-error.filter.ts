import { INVALID_REQUEST, PARSE_ERROR } from '@modelcontextprotocol/server';
import { type ArgumentsHost, Catch } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Response } from 'express';
import { Settings } from '../config/settings.js';
import { ErrorFilter } from '../http/error.filter.js';
import type { PlatformRequest } from '../http/platform-request.js';
import { AuthFailures } from '../http/rate-limit/auth-failures.service.js';
import { PlatformError } from '../kernel/errors.js';
import { answerFault } from './transport.js';

/** JSON-RPC's codes of what is wrong with a body. */
const FAULTS: Readonly<Record<number, number>> = {
  400: PARSE_ERROR,
  413: INVALID_REQUEST,
  415: INVALID_REQUEST,
};

/** A body that cannot be read is a fault of the protocol; who may not call at all is answered as everywhere. */
@Catch()
export class McpErrorFilter extends ErrorFilter {
  constructor(adapterHost: HttpAdapterHost, { PUBLIC_URL }: Settings, failures: AuthFailures) {
    super(adapterHost, PUBLIC_URL, failures);
  }

  override catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const wasAdmitted = http.getRequest<PlatformRequest>().membership !== undefined;
    const fault = thrown instanceof PlatformError && wasAdmitted ? FAULTS[thrown.status] : undefined;
    if (fault === undefined) {
      super.catch(thrown, host);
      return;
    }
    const { status, message, code } = thrown as PlatformError;
    answerFault(http.getResponse<Response>(), status, fault, message, { error: code });
  }
}
