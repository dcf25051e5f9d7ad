import { TcError } from '@typed-collections/client';
import type { MessageKey } from '../../../i18n/language.js';

/** Why a ceremony with a passkey did not succeed, for the person who tried. */
export type CeremonyProblem = 'cancelled' | 'exists' | 'origin' | 'unsupported' | 'unknown';

export class CeremonyError extends Error {
  constructor(
    readonly problem: CeremonyProblem,
    /** The host name to which the passkeys of the installation belong. */
    readonly host: string = '',
    cause?: unknown,
  ) {
    super(problem, { cause });
  }
}

/** Browsers report problems by the name of an error (WebAuthn level 2, 5.1.3 and 5.1.4). */
const PROBLEMS: Readonly<Record<string, CeremonyProblem>> = {
  NotAllowedError: 'cancelled',
  AbortError: 'cancelled',
  InvalidStateError: 'exists',
  SecurityError: 'origin',
  NotSupportedError: 'unsupported',
  ConstraintError: 'unsupported',
};

/** What the browser has thrown, as a problem of the ceremony; other failures as they are. */
export function problemOf(error: unknown, host: string): unknown {
  const problem = error instanceof Error ? PROBLEMS[error.name] : undefined;
  return problem === undefined ? error : new CeremonyError(problem, host, error);
}

/**
 * A refused sign-in, as a problem of the ceremony. A 401 would otherwise look like the end of the session of the page.
 */
export function refusalOf(error: unknown): unknown {
  return error instanceof TcError && error.status === 401 ? new CeremonyError('unknown', '', error) : error;
}

export const PROBLEM_TEXTS: Readonly<Record<CeremonyProblem, MessageKey>> = {
  cancelled: 'account.passkeyCancelled',
  exists: 'account.passkeyExists',
  origin: 'account.passkeyOrigin',
  unsupported: 'account.passkeyUnsupported',
  unknown: 'account.passkeyUnknown',
};
