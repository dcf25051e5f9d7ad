import type { Client, KoaContextWithOIDC } from 'oidc-provider';
import { documentOf, Html, html, type Page, policyOf } from '../../../../platform/http/html-page.js';
import type { ListedProvider } from '../../../orgs/sso/providers.service.js';
import { displayName } from '../clients.service.js';
import { inWords } from '../metadata/scopes.js';

/** Lists the ways to sign in. Each of them returns to `here`. */
export function signInPage(here: string, client: string, providers: readonly ListedProvider[]): Page {
  const choices = providers.map(({ slug, name }) => {
    const query = new URLSearchParams({ provider: slug, redirect: here });
    return html`<li><a class="choice" href="/v2/login?${query.toString()}">Sign in with ${name}</a></li>\n`;
  });
  return {
    title: 'Sign in',
    main: html`<p>${client} wants to connect to your account. Sign in to continue.</p>
${choices.length > 0 ? html`<nav aria-label="Ways to sign in"><ul>\n${choices}</ul></nav>` : NO_WAY}
<p>If you have a one-time sign-in link, open it in this browser, then <a href="${here}">continue here</a>.</p>`,
  };
}

const NO_WAY = html`<p>No sign-in provider is set up on this platform.</p>`;

export interface ConsentRequest {
  /** The URL that the form is sent to. */
  readonly action: string;
  readonly csrfToken: string;
  readonly client: { readonly id: string; readonly name: string; readonly own: boolean };
  /** Undefined in the device flow, which redirects to no client. */
  readonly redirectUri: string | undefined;
  readonly scopes: readonly string[];
  readonly resources: readonly string[];
  readonly person: string;
  /** The person's active organization, if there is one. */
  readonly org: string | undefined;
}

/** Asks whether an application may act for a person. Applications choose their own names, so the page shows the redirect host too. */
export function consentPage({
  action,
  csrfToken,
  client,
  redirectUri,
  scopes,
  ...request
}: ConsentRequest): Page {
  const items = inWords(scopes).map(words => html`<li>${words}</li>\n`);
  const target = redirectUri === undefined ? undefined : new URL(redirectUri);
  const next =
    target === undefined
      ? html`<p>The device that shows your code gets this access. Allow it only if you started this yourself.</p>`
      : html`<p>You will be sent to <strong>${target.host || target.protocol}</strong>.</p>`;
  const org = request.org === undefined ? '' : html`, in <strong>${request.org}</strong>`;
  const notOurs = html`<p>This application is not run by this platform. It calls itself ${client.name}; its id is <code>${client.id}</code>.</p>`;
  return {
    title: `Allow ${client.name} to connect?`,
    main: html`<p>You are signed in as <strong>${request.person}</strong>${org}. The application asks to:</p>
<ul>
${items}</ul>
<p>It may use: ${request.resources.join(', ')}.</p>
${next}
${client.own ? '' : notOurs}
<form method="post" action="${action}" aria-label="Your decision">
<input type="hidden" name="csrf" value="${csrfToken}">
<button class="main" type="submit" name="decision" value="allow">Allow</button>
<button type="submit" name="decision" value="deny">Do not allow</button>
</form>
<p>You can end the access at any time, in the list of your sessions.</p>`,
    formTargets: target === undefined ? [] : [target.origin === 'null' ? target.protocol : target.origin],
  };
}

export interface DeviceConfirmation {
  readonly secret: string;
  readonly client: string;
  /** In two groups, as the device shows it. */
  readonly userCode: string;
  readonly origin: { readonly address: string; readonly place: string };
}

/** Asks for the user code of a device (RFC 8628, 3.3). `refusal` says why the last one was not accepted. */
export function deviceCodePage({
  secret,
  refusal,
}: {
  readonly secret: string;
  readonly refusal: string | undefined;
}): Page {
  return {
    title: 'Connect a device',
    main: html`${refusal === undefined ? '' : html`<p role="alert"><strong>${refusal}</strong></p>`}
<form method="post" action="/oidc/device" aria-label="Code of the device">
<input type="hidden" name="xsrf" value="${secret}">
<p><label for="user_code">Enter the code that your device shows</label></p>
<p><input id="user_code" name="user_code" value="" autocomplete="off" autocapitalize="characters" spellcheck="false" placeholder="XXXX-XXXX" autofocus required></p>
<button class="main" type="submit">Continue</button>
</form>`,
  };
}

/** Shows which client asked for the code and from where. Somebody else may have sent this code to the person (RFC 8628, 5.4). */
export function deviceConfirmPage({ secret, client, userCode, origin }: DeviceConfirmation): Page {
  return {
    title: `Connect ${client}?`,
    main: html`<p>Your device must show this code: <strong>${userCode}</strong></p>
<p>The request came from <strong>${origin.address}</strong>, ${origin.place}.</p>
<p>Continue only if you started this yourself. If somebody sent you this code, they want access to your account.</p>
<form method="post" action="/oidc/device" aria-label="Your decision">
<input type="hidden" name="xsrf" value="${secret}">
<input type="hidden" name="user_code" value="${userCode}">
<input type="hidden" name="confirm" value="yes">
<button class="main" type="submit">Continue</button>
<button type="submit" name="abort" value="yes">I did not start this</button>
</form>`,
  };
}

export function connectedPage(client = 'The device'): Page {
  return {
    title: 'Connected',
    main: html`<p>${client} has access now. You can close this page and go back to your device.</p>`,
  };
}

/** Asks whether to sign out. `form` comes from oidc-provider and contains its CSRF token. */
export function signOutPage(form: string, client: Client | undefined): Page {
  const asks = client === undefined ? 'A link' : displayName(client);
  return {
    title: 'Sign out?',
    main: html`<p>${asks} asks to sign you out. Applications that you connected in this browser lose their access, except those that you allowed to keep access while you are away.</p>
${new Html(form)}
<button class="main" type="submit" form="op.logoutForm" name="logout" value="yes">Sign out everywhere in this browser</button>
<button type="submit" form="op.logoutForm">Stay signed in</button>`,
    formTargets: (client?.postLogoutRedirectUris ?? []).map(uri => new URL(uri).origin),
  };
}

export function signedOutPage(): Page {
  return { title: 'Signed out', main: html`<p>You can close this page.</p>` };
}

/** What a person sees when an application sent a request that cannot be answered, with the reason for its developers. */
export function errorPage(error: string, description = ''): Page {
  return {
    title: 'This did not work',
    main: html`<p>The application sent a request that cannot be answered. Go back to it and try again.</p>
<p>For its developers: <code>${error}</code> ${description}</p>`,
  };
}

/** Shows a page as the answer of oidc-provider, which sets the status. */
export function showPage(ctx: KoaContextWithOIDC, page: Page): void {
  ctx.set('Content-Security-Policy', policyOf(page));
  ctx.set('X-Frame-Options', 'DENY');
  ctx.type = 'html';
  ctx.body = documentOf(page);
}
