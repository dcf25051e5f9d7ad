import { PlatformError } from '../kernel/errors.js';

/** 401 to a bearer token that does not count: the challenge says so (RFC 6750, 3.1), and never which reason it was. */
export class InvalidToken extends PlatformError {
  static readonly challenge =
    'error="invalid_token", error_description="The token is invalid or has expired."';

  constructor(message: string) {
    super('Unauthorized', message);
  }
}
