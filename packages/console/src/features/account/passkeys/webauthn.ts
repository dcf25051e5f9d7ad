/** The options of a ceremony, as the service sends them (WebAuthn level 3, in JSON). */
export type CeremonyOptions = Readonly<Record<string, unknown>>;

/** A credential as the service takes it. */
export interface CredentialJson {
  readonly id: string;
  readonly rawId: string;
  readonly type: 'public-key';
  readonly response: Record<string, unknown>;
  readonly clientExtensionResults?: Record<string, unknown>;
}

/** True if the browser has WebAuthn and the page may use it. */
export function hasWebAuthn(): boolean {
  return typeof PublicKeyCredential === 'function' && navigator.credentials !== undefined;
}

/** Asks the person to create a passkey. Throws the `DOMException` of the browser. */
export async function createCredential(options: CeremonyOptions): Promise<CredentialJson> {
  const publicKey =
    PublicKeyCredential.parseCreationOptionsFromJSON?.(options as never) ?? creationOptionsOf(options);
  return toJson(await navigator.credentials.create({ publicKey }));
}

/** Asks the person for a passkey; with `mediation: 'conditional'`, in the list that the browser offers at a field. */
export async function getCredential(
  options: CeremonyOptions,
  how: Pick<CredentialRequestOptions, 'mediation' | 'signal'> = {},
): Promise<CredentialJson> {
  const publicKey =
    PublicKeyCredential.parseRequestOptionsFromJSON?.(options as never) ?? requestOptionsOf(options);
  return toJson(await navigator.credentials.get({ publicKey, ...how }));
}

interface Descriptor {
  readonly id: string;
}

/** The members of the options that are bytes. */
interface Encoded {
  readonly challenge: string;
  readonly user: Descriptor;
  readonly excludeCredentials?: readonly Descriptor[];
  readonly allowCredentials?: readonly Descriptor[];
}

/** For browsers without `parseCreationOptionsFromJSON`. */
export function creationOptionsOf(options: CeremonyOptions): PublicKeyCredentialCreationOptions {
  const { challenge, user, excludeCredentials } = options as unknown as Encoded;
  const bytes = { challenge: bytesOf(challenge), user: { ...user, id: bytesOf(user.id) } };
  return { ...options, ...bytes, excludeCredentials: descriptorsOf(excludeCredentials) } as never;
}

/** For browsers without `parseRequestOptionsFromJSON`. */
export function requestOptionsOf(options: CeremonyOptions): PublicKeyCredentialRequestOptions {
  const { challenge, allowCredentials } = options as unknown as Encoded;
  return {
    ...options,
    challenge: bytesOf(challenge),
    allowCredentials: descriptorsOf(allowCredentials),
  } as never;
}

function descriptorsOf(list: readonly Descriptor[] = []): object[] {
  return list.map(each => ({ ...each, id: bytesOf(each.id) }));
}

const PARTS = ['clientDataJSON', 'attestationObject', 'authenticatorData', 'signature', 'userHandle'];

/** `toJSON()` of the credential, also in browsers without it. */
export function toJson(credential: Credential | null): CredentialJson {
  if (credential === null) throw new DOMException('There is no credential.', 'NotAllowedError');
  const made = credential as PublicKeyCredential;
  if (made.toJSON !== undefined) return made.toJSON() as unknown as CredentialJson;
  const { id, rawId, response } = made;
  const parts = response as unknown as Record<string, ArrayBuffer | null | undefined>;
  const texts = PARTS.filter(part => parts[part] != null).map(part => [
    part,
    textOf(parts[part] as ArrayBuffer),
  ]);
  const transports = (response as AuthenticatorAttestationResponse).getTransports?.();
  const json = { ...Object.fromEntries(texts), ...(transports && { transports }) };
  return { id, rawId: textOf(rawId), type: 'public-key', response: json, clientExtensionResults: {} };
}

export function bytesOf(base64url: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64url.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(text, character => character.charCodeAt(0));
}

export function textOf(bytes: ArrayBuffer): string {
  const text = String.fromCharCode(...new Uint8Array(bytes));
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
