import { PlatformError } from '../kernel/errors.js';

/** An upstream through whose connection nothing passed for too long. */
export class UpstreamStalled extends Error {}

/** What a failure on the way to an upstream is to the client. It tells nothing of where the upstream is. */
export function upstreamFailure(failure: unknown): PlatformError {
  return failure instanceof UpstreamStalled
    ? new PlatformError('GatewayTimeout', 'The service behind this path takes too long to answer.')
    : new PlatformError('BadGateway', 'The service behind this path cannot be reached, or broke off.');
}
