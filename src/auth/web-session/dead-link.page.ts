import { html, type Page } from '../../http/html-page.js';
import type { PlatformError } from '../../kernel/errors.js';

/** What a person sees whose sign-in link does not work, whatever the reason. */
export function deadLinkPage({ status, message }: PlatformError): Page {
  return {
    title: 'This sign-in link does not work',
    main: html`${status === 401 ? USED : html`<p>${message}</p>`}
<p>Get a new link. Where the service runs, this prints one:</p>
<p><code>npm run cli -- sign-in</code></p>
<p>If somebody sent you the link, ask them for a new one. <a href="/">More about this service</a></p>`,
  };
}

const USED = html`<p>It was used already, has expired, or is not complete. Each link works once, and for a few minutes only.</p>`;
