import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import type { PlatformRequest } from '../../http/platform-request.js';
import { authenticate } from '../strategies/authenticate.js';
import { TokenExchangeStrategy } from '../strategies/token-exchange.strategy.js';

/** Proves the id_token in the body. No answer may be cached, whether it is a token or an error (RFC 6749, 5.1). */
@Injectable()
export class TokenExchangeGuard implements CanActivate {
  constructor(private readonly strategy: TokenExchangeStrategy) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    context.switchToHttp().getResponse<Response>().setHeader('Cache-Control', 'no-store');
    const request = context.switchToHttp().getRequest<PlatformRequest>();
    request.principal = await authenticate(this.strategy, request);
    return true;
  }
}
