import { api } from '../../../api/client.js';
import { problemOf, refusalOf } from './ceremony-error.js';
import { type CeremonyOptions, type CredentialJson, createCredential, getCredential } from './webauthn.js';

type SignedIn = Awaited<ReturnType<typeof api.authentication.finishPasskeyLogin>>;
type Passkey = Awaited<ReturnType<typeof api.authentication.finishPasskeyRegistration>>;

/** Signs in with a passkey. Throws `CeremonyError` for what the person or the browser caused. */
export async function signInWithPasskey(
  how: Pick<CredentialRequestOptions, 'mediation' | 'signal'> = {},
): Promise<SignedIn> {
  const options = await api.authentication.startPasskeyLogin();
  const used = await asked(options, () => getCredential(options, how));
  return api.authentication.finishPasskeyLogin(used).catch(error => {
    throw refusalOf(error);
  });
}

/** Registers a passkey for the person who is signed in. */
export async function addPasskey(name: string): Promise<Passkey> {
  const options = await api.authentication.startPasskeyRegistration();
  const created = await asked(options, () => createCredential(options));
  return api.authentication.finishPasskeyRegistration({ ...created, name });
}

/** Makes a new person with a passkey, who joins the organization of the invitation. */
export async function joinWithPasskey(code: string, name: string, passkeyName: string): Promise<SignedIn> {
  const options = await api.authentication.startInvitedRegistration({ code, name });
  const created = await asked(options, () => createCredential(options));
  return api.authentication.finishInvitedRegistration({ ...created, name: passkeyName });
}

async function asked(options: CeremonyOptions, ask: () => Promise<CredentialJson>): Promise<CredentialJson> {
  try {
    return await ask();
  } catch (error) {
    const host = options.rpId ?? (options.rp as { id?: string } | undefined)?.id;
    throw problemOf(error, String(host ?? ''));
  }
}
