import type { BrowserContext, ConsoleMessage } from 'playwright-core';

/** What Chromium logs for a refused request. Pages show refusals themselves, and tests check that they do. */
const REFUSED_REQUEST = /^Failed to load resource/;
/** Requests of the API, and the icon, for which Chromium asks by itself. */
const EXPECTED = /\/(?:v1|v2|oidc)\/|\/favicon\.(?:svg|ico)$/;

/** Reports each violation of the Content-Security-Policy as a log line of its own. */
const REPORT_VIOLATIONS = `
addEventListener('securitypolicyviolation', event =>
  console.error('policy violation: ' + event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sample));`;

/** Collects what is wrong with the pages of a context: uncaught errors, logged errors, violations of the policy. */
export async function collectProblems(context: BrowserContext): Promise<string[]> {
  const problems: string[] = [];
  context.on('weberror', error => problems.push(`uncaught: ${error.error().stack ?? error.error().message}`));
  context.on('console', message => {
    if (isProblem(message)) problems.push(`${message.type()}: ${message.text()} (${message.location().url})`);
  });
  await context.addInitScript(REPORT_VIOLATIONS);
  return problems;
}

function isProblem(message: ConsoleMessage): boolean {
  if (message.type() !== 'error') return false;
  return !(REFUSED_REQUEST.test(message.text()) && EXPECTED.test(message.location().url));
}
