import { TcError } from '@typed-collections/client';

/** True for the refusal of every invitation that cannot be used. The service does not say why. */
export function isUnusable(error: unknown): boolean {
  return error instanceof TcError && error.status === 404;
}
