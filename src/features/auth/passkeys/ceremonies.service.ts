import { Injectable, Logger } from '@nestjs/common';
import type { Response } from 'express';
import { invalid, PlatformError } from '../../../base/kernel/errors.js';
import { passkeysAreOn, relyingPartyOf } from '../../../platform/config/passkeys.js';
import { Settings } from '../../../platform/config/settings.js';
import type { PlatformRequest } from '../../../platform/http/platform-request.js';
import { unauthorized } from '../sent-credential.js';
import type { CreatedCredentialBody, UsedCredentialBody } from './passkey.dto.js';
import type { Passkey } from './passkey.entity.js';
import {
  type Ceremony,
  CHALLENGE_SECONDS,
  PasskeyChallenges,
  type StartedCeremony,
} from './passkey-challenges.service.js';

/** COSE algorithms, the preferred one first: EdDSA, ES256, RS256. */
const ALGORITHMS = [-8, -7, -257];
const TIMEOUT_MS = CHALLENGE_SECONDS * 1000;

/** The person for whom a passkey is created. */
export interface PasskeyOwner {
  readonly id: string;
  readonly name: string;
  readonly displayName: string;
}

/** A passkey that an authenticator has created. */
export type CreatedPasskey = Pick<Passkey, 'credentialId' | 'publicKey' | 'signCount' | 'transports'>;

/** The options of `navigator.credentials.create` and `.get`, in the JSON form of WebAuthn level 3. */
export type CeremonyOptions = Readonly<Record<string, unknown>>;

/** The library takes time and memory to load, so it is loaded when the first ceremony starts. */
const library = () => import('@simplewebauthn/server');

/** WebAuthn ceremonies with discoverable credentials and user verification (Web Authentication level 2, 7.1 and 7.2). */
@Injectable()
export class PasskeyCeremonies {
  private readonly logger = new Logger(PasskeyCeremonies.name);

  constructor(
    private readonly challenges: PasskeyChallenges,
    private readonly settings: Settings,
  ) {}

  /** Throws 403 when passkeys are off. */
  assertOn(): void {
    if (passkeysAreOn(this.settings)) return;
    throw new PlatformError(
      'Forbidden',
      'Passkeys are off on this installation. They need PASSKEYS=on and a PUBLIC_URL with a host name: https, or http at localhost.',
    );
  }

  /** Starts to create a passkey. `known`: the credentials of the person, which the authenticator must not create again. */
  async startCreation(
    request: PlatformRequest,
    response: Response,
    started: StartedCeremony,
    owner: PasskeyOwner,
    known: readonly Pick<Passkey, 'credentialId' | 'transports'>[] = [],
  ): Promise<CeremonyOptions> {
    const challenge = await this.start(request, response, started);
    return {
      rp: { id: relyingPartyOf(this.settings).id, name: 'Typed Collections' },
      user: { id: userHandle(owner.id), name: owner.name, displayName: owner.displayName },
      challenge,
      pubKeyCredParams: ALGORITHMS.map(alg => ({ type: 'public-key', alg })),
      timeout: TIMEOUT_MS,
      excludeCredentials: known.map(({ credentialId: id, transports }) => ({
        type: 'public-key',
        id,
        transports,
      })),
      authenticatorSelection: {
        residentKey: 'required',
        requireResidentKey: true,
        userVerification: 'required',
      },
      attestation: 'none',
      extensions: { credProps: true },
    };
  }

  /** Starts a sign-in. The list of credentials is empty: the person chooses, and nobody learns who has an account. */
  async startUse(request: PlatformRequest, response: Response): Promise<CeremonyOptions> {
    return {
      challenge: await this.start(request, response, { purpose: 'login' }),
      rpId: relyingPartyOf(this.settings).id,
      allowCredentials: [],
      timeout: TIMEOUT_MS,
      userVerification: 'required',
    };
  }

  /**
   * The passkey that the authenticator has created, with the ceremony to which it belongs. Throws 400 for every response
   * that does not complete a ceremony of this browser.
   */
  async created(
    request: PlatformRequest,
    purpose: StartedCeremony['purpose'],
    body: CreatedCredentialBody,
  ): Promise<{ readonly ceremony: Ceremony; readonly passkey: CreatedPasskey }> {
    const { challenge, ceremony } = await this.taken(request, purpose, body.response);
    if (ceremony === undefined) throw notCreated();
    const { verifyRegistrationResponse } = await library();
    const verified = await verifyRegistrationResponse({
      ...this.expected(challenge),
      response: asSent(body),
      supportedAlgorithmIDs: ALGORITHMS,
    }).catch(error => this.note(error));
    if (verified?.verified !== true) throw notCreated();
    const { id, publicKey, counter } = verified.registrationInfo.credential;
    return {
      ceremony,
      passkey: {
        credentialId: id,
        publicKey: Buffer.from(publicKey),
        signCount: String(counter),
        transports: transportsOf(body.response),
      },
    };
  }

  /**
   * Verifies a sign-in with the passkey of its credential id, which `find` looks up. Returns the passkey and its new
   * counter, which the caller compares with the old one. Throws the same 401 for everything that is wrong.
   */
  async used(
    request: PlatformRequest,
    body: UsedCredentialBody,
    find: (credentialId: string) => Promise<Passkey | null>,
  ): Promise<{ readonly passkey: Passkey; readonly signCount: number }> {
    const { challenge, ceremony } = await this.taken(request, 'login', body.response);
    const passkey = ceremony && (await find(body.id));
    if (!passkey || body.response.userHandle !== userHandle(passkey.userId)) throw unauthorized();
    const { verifyAuthenticationResponse } = await library();
    const verified = await verifyAuthenticationResponse({
      ...this.expected(challenge),
      response: asSent(body),
      // The caller compares the counters after the signature, and in the statement that stores the new one.
      credential: { id: passkey.credentialId, publicKey: new Uint8Array(passkey.publicKey), counter: 0 },
    }).catch(error => this.note(error));
    if (verified?.verified !== true) throw unauthorized();
    return { passkey, signCount: verified.authenticationInfo.newCounter };
  }

  private start(request: PlatformRequest, response: Response, started: StartedCeremony): Promise<string> {
    this.assertOn();
    // Loaded while the person confirms, so that completing the ceremony does not wait for it.
    library().catch(error => this.logger.error(`loading the WebAuthn library failed: ${error.message}`));
    return this.challenges.start(request, response, started);
  }

  private async taken(
    request: PlatformRequest,
    purpose: StartedCeremony['purpose'],
    { clientDataJSON }: { readonly clientDataJSON: string },
  ) {
    this.assertOn();
    const { challenge = '', crossOrigin = false } = clientData(clientDataJSON);
    const ceremony = await this.challenges.take(request, purpose, String(challenge));
    // A page of another origin that embeds ours in a frame must not start ceremonies here.
    return { challenge: String(challenge), ceremony: crossOrigin === false ? ceremony : undefined };
  }

  private expected(challenge: string) {
    const { id, origin } = relyingPartyOf(this.settings);
    return {
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: true,
    };
  }

  /** The reason is only logged. It contains no secret: challenges are used up, and public keys are public. */
  private note(error: Error): undefined {
    this.logger.log(`refused a passkey: ${error.message}`);
  }
}

/** The parts of a credential that the library reads. */
function asSent<R>({
  id,
  rawId,
  type,
  response,
}: {
  id: string;
  rawId: string;
  type: 'public-key';
  response: R;
}) {
  return { id, rawId, type, response, clientExtensionResults: {} };
}

function notCreated(): PlatformError {
  return invalid('The passkey does not belong to a registration that this browser started. Start again.');
}

/** The user handle of WebAuthn: the bytes of the user's id in base64url. It says nothing about the person. */
function userHandle(userId: string): string {
  return Buffer.from(userId.replaceAll('-', ''), 'hex').toString('base64url');
}

/** What the browser says about the ceremony; empty when the text is malformed, and then no challenge matches. */
function clientData(text: string): { readonly challenge?: unknown; readonly crossOrigin?: unknown } {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) ?? {};
  } catch {
    return {};
  }
}

/** How the browser can reach the authenticator. A hint for later ceremonies, so unknown values are left out. */
function transportsOf({ transports = [] }: CreatedCredentialBody['response']): string[] {
  if (!Array.isArray(transports)) return [];
  return transports.filter(each => typeof each === 'string' && /^[a-z-]{1,20}$/.test(each)).slice(0, 10);
}
