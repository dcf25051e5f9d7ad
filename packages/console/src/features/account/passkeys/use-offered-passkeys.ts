import { useCallback, useEffect, useRef, useState } from 'react';
import { library, signInWithPasskey } from './ceremonies.js';
import { CeremonyError } from './ceremony-error.js';

/** Shorter than the 5 minutes for which the service accepts an answer. */
const RENEWED_EVERY_MS = 240_000;

interface OfferedPasskeys {
  /** True if the browser offers passkeys at a field with `autocomplete="username webauthn"`. */
  readonly isOffered: boolean;
  /** Why a passkey of the list was refused. */
  readonly error: unknown;
  /** Does something else with passkeys, while the list is not offered. */
  paused<T>(work: () => Promise<T>): Promise<T>;
}

/** Lets the browser offer passkeys at a field (conditional mediation, WebAuthn level 3, 5.1.4). */
export function useOfferedPasskeys(onSignedIn: () => void): OfferedPasskeys {
  const [isOffered, setOffered] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const signedIn = useRef(onSignedIn);
  signedIn.current = onSignedIn;
  const offer = useRef<AbortController>(null);
  const round = useRef(0);

  const isPaused = useRef(false);
  /** Ends the ceremony that runs. Set when the library is loaded, before which none can run. */
  const cancel = useRef(() => {});

  const begin = useCallback(() => {
    if (isPaused.current) return;
    offer.current?.abort();
    const own = new AbortController();
    offer.current = own;
    own.signal.addEventListener('abort', () => cancel.current());
    signInWithPasskey(own.signal).then(
      () => own.signal.aborted || signedIn.current(),
      (failure: unknown) => {
        if (own.signal.aborted) return;
        // The browser ends the offer for reasons of its own. Only a refused passkey concerns the person.
        if (failure instanceof CeremonyError && failure.problem === 'unknown') {
          setError(failure);
          begin();
        }
      },
    );
  }, []);

  useEffect(() => {
    const thisRound = ++round.current;
    let renewal: ReturnType<typeof setInterval> | undefined;
    void library().then(async ({ browserSupportsWebAuthnAutofill, WebAuthnAbortService }) => {
      cancel.current = () => WebAuthnAbortService.cancelCeremony();
      const offers = await browserSupportsWebAuthnAutofill();
      if (!offers || round.current !== thisRound) return;
      setOffered(true);
      begin();
      renewal = setInterval(begin, RENEWED_EVERY_MS);
    });
    return () => {
      round.current++;
      clearInterval(renewal);
      offer.current?.abort();
    };
  }, [begin]);

  const paused = async <T>(work: () => Promise<T>): Promise<T> => {
    setError(null);
    offer.current?.abort();
    isPaused.current = true;
    try {
      return await work();
    } catch (failure) {
      isPaused.current = false;
      if (isOffered) begin();
      throw failure;
    }
  };
  return { isOffered, error, paused };
}
