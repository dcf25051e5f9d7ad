import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { IAuthGuard } from '@nestjs/passport';
import type { Response } from 'express';
import { strategyGuard } from '../strategies/strategy-guard.js';
import { TokenExchangeStrategy } from '../strategies/token-exchange.strategy.js';

/** Proves the id_token in the body. Whatever the answer, nobody keeps it (RFC 6749, 5.1). */
@Injectable()
export class TokenExchangeGuard implements CanActivate {
  private readonly strategy: IAuthGuard;

  constructor(strategy: TokenExchangeStrategy) {
    this.strategy = strategyGuard(strategy);
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    context.switchToHttp().getResponse<Response>().setHeader('Cache-Control', 'no-store');
    return (await this.strategy.canActivate(context)) as boolean;
  }
}
