/** The page of Swagger UI. Scripts and styles are separate files, so that the policy can forbid inline scripts. */
export const PAGE = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Typed Collections API</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="stylesheet" href="/docs/page.css">
<link rel="icon" type="image/png" sizes="32x32" href="/docs/favicon-32x32.png">
</head>
<body>
<p id="caller" role="status">&nbsp;</p>
<div id="swagger-ui"></div>
<noscript><p>Swagger UI needs JavaScript. The same description as a file: <a href="/openapi.json">openapi.json</a>.</p></noscript>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/page.js"></script>
</body>
</html>
`;

export const STYLE = `body { margin: 0; background: #fff; }
#caller { margin: 0; padding: .75rem 20px; font: 15px/1.5 system-ui, sans-serif; color: #1b1b1b; background: #eef3f8; }
#caller code { font-family: ui-monospace, monospace; }
#swagger-ui .wrapper { box-sizing: border-box; }
`;

/** Runs in the browser. The caller's name comes from the service, so it is inserted as text and never as HTML. */
export const SCRIPT = `'use strict';

/* The filter box of Swagger UI looks at names of groups only. This one looks at paths, summaries and operation ids. */
function SearchOperations() {
  const phraseOf = system => {
    const phrase = system.layoutSelectors.currentFilter();
    return typeof phrase === 'string' ? phrase.trim().toLowerCase() : '';
  };
  const holds = (text, phrase) => typeof text === 'string' && text.toLowerCase().includes(phrase);
  return {
    fn: {
      opsFilter: (groups, typed) => {
        const phrase = typed.trim().toLowerCase();
        if (phrase === '') return groups;
        return groups
          .map((group, name) => holds(name, phrase) ? group : group.update('operations', operations =>
            operations.filter(each => holds(each.get('path'), phrase) ||
              holds(each.getIn(['operation', 'summary']), phrase) ||
              holds(each.getIn(['operation', 'operationId']), phrase))))
          .filter(group => group.get('operations').size > 0);
      },
    },
    statePlugins: {
      layout: {
        wrapSelectors: {
          /* What was found is open, not hidden in closed groups. */
          isShown: (original, system) => (_state, thing, otherwise) => {
            const isGroup = Array.isArray(thing) && thing[0] === 'operations-tag';
            return (isGroup && phraseOf(system) !== '') || original(thing, otherwise);
          },
        },
      },
    },
  };
}

async function sayWhoIsSignedIn() {
  const line = document.getElementById('caller');
  const response = await fetch('/v2/me', { headers: { accept: 'application/json' } });
  if (response.ok) {
    const me = await response.json();
    const name = me.email ?? me.id;
    const org = me.org === null ? 'no organization' : 'organization ' + me.org.slug;
    line.textContent = 'Signed in as ' + name + ' (' + org + '). Requests from this page use your session: no key is needed.';
    return;
  }
  const command = document.createElement('code');
  command.textContent = 'npm run cli -- sign-in';
  line.replaceChildren(
    'Not signed in. Open a one-time sign-in link in this browser (', command,
    ' prints one), or press Authorize and paste an API key or an access token.',
  );
}

window.ui = SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#swagger-ui',
  presets: [SwaggerUIBundle.presets.apis],
  plugins: [SearchOperations],
  layout: 'BaseLayout',
  deepLinking: true,
  docExpansion: 'none',
  defaultModelsExpandDepth: 0,
  filter: true,
  persistAuthorization: true,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  validatorUrl: null,
  onComplete: () => {
    const box = document.querySelector('.operation-filter-input');
    box.placeholder = 'Find operations: path, summary or operation id';
    box.setAttribute('aria-label', box.placeholder);
  },
});
sayWhoIsSignedIn();
`;
