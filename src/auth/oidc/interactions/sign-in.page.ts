import { html, type Page } from '../../../http/html-page.js';
import type { ListedProvider } from '../../../orgs/sso/providers.service.js';

/** The ways to sign in, each of which comes back to `here`. */
export function signInPage(here: string, client: string, providers: readonly ListedProvider[]): Page {
  const choices = providers.map(({ slug, name }) => {
    const query = new URLSearchParams({ provider: slug, redirect: here });
    return html`<li><a class="choice" href="/v2/login?${query.toString()}">Sign in with ${name}</a></li>\n`;
  });
  return {
    title: 'Sign in',
    main: html`<p>${client} wants to connect to your account. Sign in to go on.</p>
${choices.length > 0 ? html`<nav aria-label="Ways to sign in"><ul>\n${choices}</ul></nav>` : NO_WAY}
<p>If you have a one-time sign-in link, open it in this browser, then <a href="${here}">go on here</a>.</p>`,
  };
}

const NO_WAY = html`<p>No sign-in provider is set up on this platform.</p>`;
