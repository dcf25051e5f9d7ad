import { html, type Page } from '../../../http/html-page.js';
import { inWords } from './scope-words.js';

export interface ConsentRequest {
  /** Address of the form's answer. */
  readonly action: string;
  readonly csrfToken: string;
  readonly client: { readonly id: string; readonly name: string; readonly own: boolean };
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  readonly resources: readonly string[];
  readonly person: string;
  /** The organization it starts in; undefined when they are in none. */
  readonly org: string | undefined;
}

/** Asks whether an application may act for a person. Its name is its own claim; where the code goes is not. */
export function consentPage({
  action,
  csrfToken,
  client,
  redirectUri,
  scopes,
  ...request
}: ConsentRequest): Page {
  const items = inWords(scopes).map(words => html`<li>${words}</li>\n`);
  const target = new URL(redirectUri);
  const where = target.host || target.protocol;
  const org = request.org === undefined ? '' : html`, in <strong>${request.org}</strong>`;
  const notOurs = html`<p>This application is not run by this platform. It calls itself ${client.name}; its id is <code>${client.id}</code>.</p>`;
  return {
    title: `Allow ${client.name} to connect?`,
    main: html`<p>You are signed in as <strong>${request.person}</strong>${org}. The application asks to:</p>
<ul>
${items}</ul>
<p>It may use: ${request.resources.join(', ')}.</p>
<p>You will be sent to <strong>${where}</strong>.</p>
${client.own ? '' : notOurs}
<form method="post" action="${action}" aria-label="Your decision">
<input type="hidden" name="csrf" value="${csrfToken}">
<button class="main" type="submit" name="decision" value="allow">Allow</button>
<button type="submit" name="decision" value="deny">Do not allow</button>
</form>
<p>You can end the access at any time, in the list of your sessions.</p>`,
    formTargets: [target.origin === 'null' ? target.protocol : target.origin],
  };
}
