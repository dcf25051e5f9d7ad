import type { Client } from 'oidc-provider';
import { Html, html, type Page } from '../../../http/html-page.js';
import { displayName } from '../clients/display-name.js';

/** Asks whether to sign out; `form` is oidc-provider's, with the protection against forgery in it. */
export function signOutPage(form: string, client: Client | undefined): Page {
  const asks = client === undefined ? 'Somebody' : displayName(client);
  return {
    title: 'Sign out?',
    main: html`<p>${asks} asks to sign you out. Applications that were connected in this browser lose their access, unless you let them keep it while you are away.</p>
${new Html(form)}
<button class="main" type="submit" form="op.logoutForm" name="logout" value="yes">Sign out everywhere in this browser</button>
<button type="submit" form="op.logoutForm">Stay signed in</button>`,
    formTargets: (client?.postLogoutRedirectUris ?? []).map(uri => new URL(uri).origin),
  };
}

export function signedOutPage(): Page {
  return { title: 'Signed out', main: html`<p>You can close this page.</p>` };
}
