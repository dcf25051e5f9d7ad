import { AuthGuard, type IAuthGuard } from '@nestjs/passport';
import { unauthorized } from '../sent-credential.js';

/**
 * A guard that runs one Passport strategy and leaves its Principal on the request. Every refusal becomes the same
 * 401; what a strategy throws (400, a database that is away) stays what it is.
 */
export function strategyGuard(name: string): IAuthGuard {
  class StrategyGuard extends AuthGuard(name) {
    override handleRequest<T>(error: unknown, principal: T | false): T {
      if (error) throw error;
      if (!principal) throw unauthorized();
      return principal;
    }
  }
  return new StrategyGuard({ property: 'principal' });
}
