import type { Client, Configuration, KoaContextWithOIDC } from 'oidc-provider';
import { showPage } from './interactions/show-page.js';
import { signedOutPage, signOutPage } from './interactions/sign-out.page.js';
import type { ProviderParts } from './provider-parts.service.js';
import { resourceServer } from './resources/resource-server.js';

type Features = NonNullable<Configuration['features']>;

/** What of oidc-provider is offered; what it would offer by default and the platform does not, is switched off. */
export function featuresOf({ settings, own, users }: ProviderParts): Features {
  const publicUrl = settings.PUBLIC_URL;
  return {
    ...{ devInteractions: { enabled: false }, dPoP: { enabled: false }, userinfo: { enabled: false } },
    pushedAuthorizationRequests: { enabled: false },
    externalSigningSupport: { enabled: true, ack: 'experimental-01' },
    clientIdMetadataDocument: {
      enabled: settings.OIDC_CLIENT_METADATA_DOCUMENTS === 'on',
      ack: 'draft-02',
    },
    registration: {
      enabled: settings.OIDC_DYNAMIC_REGISTRATION === 'on',
      issueRegistrationAccessToken: false,
    },
    revocation: { enabled: true, allowedPolicy: (_ctx, client, token) => isOwner(client, token) },
    introspection: {
      enabled: true,
      // The platform's own servers may ask about any token, as a resource server does.
      allowedPolicy: async (_ctx, client, token) =>
        (isOwner(client, token) || (own.has(client.clientId) && client.clientAuthMethod !== 'none')) &&
        'accountId' in token &&
        (await users.find(token.accountId))?.status === 'active',
    },
    resourceIndicators: {
      enabled: true,
      defaultResource: (_ctx, _client, oneOf) => oneOf ?? publicUrl,
      useGrantedResource: () => true,
      getResourceServerInfo: (_ctx, indicator, client) =>
        resourceServer(indicator, { publicUrl, own: own.has(client.clientId) }),
    },
    rpInitiatedLogout: {
      enabled: true,
      logoutSource: (ctx: KoaContextWithOIDC, form: string) =>
        showPage(ctx, signOutPage(form, ctx.oidc.client)),
      postLogoutSuccessSource: (ctx: KoaContextWithOIDC) => showPage(ctx, signedOutPage()),
    },
  };
}

function isOwner(client: Client, token: { clientId?: string | undefined }): boolean {
  return token.clientId === client.clientId;
}
