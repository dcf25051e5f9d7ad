import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Response } from 'express';
import type { Provider } from 'oidc-provider';
import { SettingsError } from '../../../platform/config/load-settings.js';
import { Settings } from '../../../platform/config/settings.js';
import type { PlatformRequest } from '../../../platform/http/platform-request.js';
import { KeyRing } from '../keys/key-ring.js';
import { OwnClients } from './clients.service.js';
import { ProviderParts } from './provider/provider-parts.service.js';
import { answering, mountedRequest, type ReadBody } from './provider-requests.js';

/** oidc-provider adds the hash of the script that submits its form to the client in the response mode form_post. */
const POLICY_OF_ITS_PAGES = "default-src 'none'; script-src 'self'; base-uri 'none'; frame-ancestors 'none'";

interface Current {
  /** The ids of the keys that it was made with. */
  readonly keys: string;
  readonly provider: Promise<Provider>;
}

/** The authorization server: oidc-provider under /oidc. A change of the signing keys makes a new oidc-provider. */
@Injectable()
export class AuthorizationServer implements OnApplicationBootstrap {
  private current: Current | undefined;

  constructor(
    private readonly ring: KeyRing,
    private readonly parts: ProviderParts,
    private readonly own: OwnClients,
    private readonly settings: Settings,
  ) {}

  /** Stops the start when a client of OIDC_CLIENTS_FILE is invalid. */
  async onApplicationBootstrap(): Promise<void> {
    if (this.own.configured.length === 0) return;
    const provider = await this.provider();
    const problems: string[] = [];
    for (const { client_id } of this.own.configured) {
      await provider.Client.find(client_id).catch(error =>
        problems.push(`OIDC_CLIENTS_FILE (${client_id}): ${error.error_description ?? error.message}`),
      );
    }
    if (problems.length > 0) throw new SettingsError(problems);
  }

  /** The oidc-provider with the current keys. All state is in the database, so requests may move from one to the next. */
  async provider(): Promise<Provider> {
    const [signing, published] = await Promise.all([this.ring.signingKey(), this.ring.publicKeys()]);
    const keys = [signing.kid, ...published.map(({ kid }) => kid)].join(' ');
    if (this.current?.keys !== keys) {
      // Loaded at the first use: commands do not need oidc-provider, which prints a warning on Node 20.
      const made = import('./provider/provider.js').then(({ makeProvider }) =>
        makeProvider(this.parts, { published, signing }),
      );
      this.current = { keys, provider: made };
    }
    return this.current.provider;
  }

  /** Answers a request to an endpoint of oidc-provider. `body` is the parsed body. */
  async answer(request: PlatformRequest, response: Response, body?: ReadBody): Promise<void> {
    const provider = await this.provider();
    const mounted = mountedRequest(request, this.settings.PUBLIC_URL, body);
    response.setHeader('Content-Security-Policy', POLICY_OF_ITS_PAGES);
    await answering.run(mounted, () => provider.callback()(mounted, response));
  }
}
