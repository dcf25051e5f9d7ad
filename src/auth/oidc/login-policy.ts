import { interactionPolicy } from 'oidc-provider';
import type { BrowserSessions } from './browser-sessions.service.js';

/** What must be settled before a code is given: a sign-in that the platform still knows, and consent. */
export function policyOf(browsers: BrowserSessions): interactionPolicy.DefaultPolicy {
  const policy = interactionPolicy.base();
  policy.get('login')?.checks.add(
    new interactionPolicy.Check('platform_session', 'End-User is signed out of the platform', async ctx => {
      const signedIn = await browsers.signedIn(ctx.req);
      return signedIn?.principal.id !== ctx.oidc.session?.accountId;
    }),
  );
  return policy;
}
