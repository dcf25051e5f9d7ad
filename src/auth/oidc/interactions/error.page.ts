import { html, type Page } from '../../../http/html-page.js';

/** What a person sees when a request of an application cannot be answered, with what its makers need to know. */
export function errorPage(error: string, description = ''): Page {
  return {
    title: 'This did not work',
    main: html`<p>The application sent a request that cannot be answered. Go back to it and try again.</p>
<p>For its makers: <code>${error}</code> ${description}</p>`,
  };
}
