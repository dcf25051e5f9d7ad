import { api } from '../../../api/client.js';
import { problemOf, refusalOf } from './ceremony-error.js';

type SignedIn = Awaited<ReturnType<typeof api.authentication.finishPasskeyLogin>>;
type Passkey = Awaited<ReturnType<typeof api.authentication.finishPasskeyRegistration>>;

type Credential = Parameters<typeof api.authentication.finishPasskeyLogin>[0];
type Options = Awaited<ReturnType<typeof api.authentication.startPasskeyLogin>>;

/** True if the browser has passkeys. */
export function hasPasskeys(): boolean {
  return typeof globalThis.PublicKeyCredential === 'function';
}

/** The library is not part of the first page, which everybody loads. */
export const library = () => import('@simplewebauthn/browser');

/**
 * Signs in with a passkey; with `offer`, in the list that the browser offers at a field. Throws `CeremonyError` for what
 * the person or the browser caused. A ceremony that begins ends the one before it.
 */
export async function signInWithPasskey(offer?: AbortSignal): Promise<SignedIn> {
  const [options, { startAuthentication }] = await Promise.all([
    api.authentication.startPasskeyLogin(),
    library(),
  ]);
  offer?.throwIfAborted();
  const used = await asked(options, optionsJSON =>
    startAuthentication({
      ...{ optionsJSON, useBrowserAutofill: offer !== undefined, verifyBrowserAutofillInput: false },
    }),
  );
  return api.authentication.finishPasskeyLogin(used).catch(error => {
    throw refusalOf(error);
  });
}

/** Registers a passkey for the person who is signed in. */
export async function addPasskey(name: string): Promise<Passkey> {
  const [options, { startRegistration }] = await Promise.all([
    api.authentication.startPasskeyRegistration(),
    library(),
  ]);
  const created = await asked(options, optionsJSON => startRegistration({ optionsJSON }));
  return api.authentication.finishPasskeyRegistration({ ...created, name });
}

/** Makes a new person with a passkey, who joins the organization of the invitation. */
export async function joinWithPasskey(code: string, name: string, passkeyName: string): Promise<SignedIn> {
  const [options, { startRegistration }] = await Promise.all([
    api.authentication.startInvitedRegistration({ code, name }),
    library(),
  ]);
  const created = await asked(options, optionsJSON => startRegistration({ optionsJSON }));
  return api.authentication.finishInvitedRegistration({ ...created, name: passkeyName });
}

async function asked(options: Options, ask: (options: never) => Promise<unknown>): Promise<Credential> {
  try {
    return (await ask(options as never)) as Credential;
  } catch (error) {
    const host = options.rpId ?? (options.rp as { id?: string } | undefined)?.id;
    throw problemOf(error, String(host ?? ''));
  }
}
