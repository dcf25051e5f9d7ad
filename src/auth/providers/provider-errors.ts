/**
 * The provider did not give what a login needs: unreachable, too slow, or wrong in what it publishes. The message
 * is for the log: shown to a client, it would tell what answers where.
 */
export class ProviderUnavailable extends Error {
  override readonly name = 'ProviderUnavailable';
}

/** The id_token is not one that this provider made for us, or no longer. The message is for the log. */
export class IdTokenRefused extends Error {
  override readonly name = 'IdTokenRefused';
}
