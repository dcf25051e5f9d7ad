/** Why a request that leaves the process came to nothing. */
export type OutboundReason = 'refused' | 'unreachable' | 'timeout' | 'too-large';

/**
 * For logs and for whoever made the call, never for a client: the difference between a closed port, a silent one
 * and a refused address would make the service a port scanner.
 */
export class OutboundError extends Error {
  constructor(
    readonly reason: OutboundReason,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'OutboundError';
  }
}
