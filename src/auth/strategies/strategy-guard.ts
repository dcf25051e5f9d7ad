import { AuthGuard, type IAuthGuard } from '@nestjs/passport';
import passport, { type Strategy } from 'passport';
import { unauthorized } from '../sent-credential.js';

let made = 0;

/**
 * A guard that runs one Passport strategy and leaves its Principal on the request. Every refusal becomes the same
 * 401; what a strategy throws (400, a database that is away) stays what it is.
 */
export function strategyGuard(strategy: Strategy): IAuthGuard {
  // Passport keeps one registry per process, where the application made last would answer for all others.
  const name = `${strategy.name}#${++made}`;
  passport.use(name, strategy);
  class StrategyGuard extends AuthGuard(name) {
    override handleRequest<T>(error: unknown, principal: T | false): T {
      if (error) throw error;
      if (!principal) throw unauthorized();
      return principal;
    }
  }
  return new StrategyGuard({ property: 'principal' });
}
