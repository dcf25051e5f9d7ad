import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Response } from 'express';
import type { Provider } from 'oidc-provider';
import { SettingsError } from '../../config/load-settings.js';
import { Settings } from '../../config/settings.js';
import type { PlatformRequest } from '../../http/platform-request.js';
import { KeyRing } from '../keys/key-ring.js';
import { OwnClients } from './clients/own-clients.service.js';
import { answering } from './current-call.js';
import { mountedRequest, type ReadBody } from './mounted-request.js';
import { ProviderParts } from './provider-parts.service.js';

/** oidc-provider adds the hash of its script, which sends a form on: to the client's address in the mode form_post. */
const POLICY_OF_ITS_PAGES = "default-src 'none'; script-src 'self'; base-uri 'none'; frame-ancestors 'none'";

interface Current {
  /** Names of the keys it was made with. */
  readonly keys: string;
  readonly provider: Promise<Provider>;
}

/** The authorization server: oidc-provider under /oidc, made anew whenever the signing keys change. */
@Injectable()
export class AuthorizationServer implements OnApplicationBootstrap {
  private current: Current | undefined;

  constructor(
    private readonly ring: KeyRing,
    private readonly parts: ProviderParts,
    private readonly own: OwnClients,
    private readonly settings: Settings,
  ) {}

  /** A client of the file that cannot be used stops the start. */
  async onApplicationBootstrap(): Promise<void> {
    if (this.own.metadata.length === 0) return;
    const provider = await this.provider();
    const problems: string[] = [];
    for (const { client_id } of this.own.metadata) {
      await provider.Client.find(client_id).catch(error =>
        problems.push(`OIDC_CLIENTS_FILE (${client_id}): ${error.error_description ?? error.message}`),
      );
    }
    if (problems.length > 0) throw new SettingsError(problems);
  }

  /** With the keys of this moment. All it knows is in the database, so it does not matter which one goes on with what. */
  async provider(): Promise<Provider> {
    const [signing, published] = await Promise.all([this.ring.signingKey(), this.ring.publicKeys()]);
    const keys = [signing.kid, ...published.map(({ kid }) => kid)].join(' ');
    if (this.current?.keys !== keys) {
      // Loaded when it is needed: commands never do, and on Node 20 it begins with a warning on the terminal.
      const made = import('./provider.js').then(({ makeProvider }) =>
        makeProvider(this.parts, { published, signing }),
      );
      this.current = { keys, provider: made };
    }
    return this.current.provider;
  }

  /** Answers a request to one of its endpoints, with the body that the guard has read. */
  async answer(request: PlatformRequest, response: Response, body?: ReadBody): Promise<void> {
    const provider = await this.provider();
    const mounted = mountedRequest(request, this.settings.PUBLIC_URL, body);
    response.setHeader('Content-Security-Policy', POLICY_OF_ITS_PAGES);
    await answering.run(mounted, () => provider.callback()(mounted, response));
  }
}
