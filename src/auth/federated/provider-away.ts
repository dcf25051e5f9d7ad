import { PlatformError } from '../../kernel/errors.js';

/** 503 for a provider that does not give what a login needs; why is for the log alone. */
export function providerAway(): PlatformError {
  return new PlatformError(
    'Unavailable',
    'The identity provider does not answer as it should right now. Try again in a few seconds.',
  );
}
