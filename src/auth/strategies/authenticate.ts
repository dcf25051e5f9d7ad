import type { Response } from 'express';
import passport, { type Strategy } from 'passport';
import type { PlatformRequest } from '../../http/platform-request.js';
import type { Principal } from '../../kernel/principal.js';
import { unauthorized } from '../sent-credential.js';

/**
 * Runs one Passport strategy and returns its Principal. Every refusal of the strategy becomes the same 401. Errors that
 * the strategy throws (400, 503) stay as they are.
 *
 * Passport gets the strategy itself, not a registered name: its registry belongs to the process, and tests run several
 * applications in one process. Passport adds the methods `success`, `fail` and `error` to the object that it runs, so
 * each request gets an object of its own.
 */
export function authenticate(strategy: Strategy, request: PlatformRequest): Promise<Principal> {
  return new Promise((resolve, reject) => {
    const done = (error: unknown, principal?: Principal | false) => {
      if (error) reject(error);
      else if (principal) resolve(principal);
      else reject(unauthorized());
    };
    const run = passport.authenticate(Object.create(strategy), { session: false }, done);
    run(request, request.res as Response, reject);
  });
}
