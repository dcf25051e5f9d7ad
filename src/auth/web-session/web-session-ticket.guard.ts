import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { strategyGuard } from '../strategies/strategy-guard.js';

/** Burns the ticket of an exchange. Whatever the answer, its URL holds a secret: no referrer, no store. */
@Injectable()
export class WebSessionTicketGuard implements CanActivate {
  private readonly strategy = strategyGuard('web-session-ticket');

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const response = context.switchToHttp().getResponse<Response>();
    response.setHeader('Referrer-Policy', 'no-referrer');
    response.setHeader('Cache-Control', 'no-store');
    return (await this.strategy.canActivate(context)) as boolean;
  }
}
