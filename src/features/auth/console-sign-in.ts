import type { PlatformError } from '../../base/kernel/errors.js';
import type { Settings } from '../../platform/config/settings.js';
import { html, type Page } from '../../platform/http/html-page.js';
import { redirectTarget } from './web-session/redirect-target.js';

type ConsoleSettings = Pick<
  Settings,
  'CONSOLE' | 'PUBLIC_URL' | 'PLATFORM_ORIGINS' | 'WEB_SESSION_ALLOWED_REDIRECT_HOSTS'
>;

/** What the sign-in page of the console is opened for. */
interface SignInRequest {
  /** Where the browser goes afterwards. Only a page at PUBLIC_URL is passed on. */
  readonly next?: string | undefined;
  /** Asks for a sign-in although somebody is signed in. */
  readonly again?: true;
  /** The way to sign in that failed, and the code of the refusal. */
  readonly failed?: 'link' | 'provider';
  readonly error?: string;
}

/** The path of the console's sign-in page. Undefined with CONSOLE=off. The page itself checks `next` again. */
export function consoleSignIn(
  settings: ConsoleSettings,
  { next, again, ...failure }: SignInRequest,
): string | undefined {
  if (settings.CONSOLE === 'off') return undefined;
  const page = next === undefined ? undefined : ownPage(next, settings);
  const search = new URLSearchParams({
    ...(page !== undefined && { next: page }),
    ...(again && { again: 'true' }),
    ...failure,
  });
  return `/console/sign-in?${search}`;
}

/** The page after a failed sign-in. Browsers that open it go on to the console, which says what to do. */
export function failedSignInPage(page: Page, settings: ConsoleSettings, request: SignInRequest): Page {
  const continueAt = consoleSignIn(settings, request);
  if (continueAt === undefined) return page;
  const main = html`${page.main}\n<p><a href="${continueAt}">Sign in another way</a></p>`;
  return { ...page, main, continueAt };
}

/** The page for a sign-in at an identity provider that failed. Undefined with CONSOLE=off: then the answer is JSON. */
export function failedLoginPage(
  settings: ConsoleSettings,
  next: string | undefined,
): ((error: PlatformError) => Page) | undefined {
  if (settings.CONSOLE === 'off') return undefined;
  return ({ code, message }) =>
    failedSignInPage({ title: 'The sign-in did not work', main: html`<p>${message}</p>` }, settings, {
      next,
      failed: 'provider',
      error: code,
    });
}

/** The path of an address at PUBLIC_URL; undefined for every other address. */
function ownPage(address: string, settings: ConsoleSettings): string | undefined {
  const target = redirectTarget(address, settings);
  if (target === undefined) return undefined;
  const { origin, pathname, search, hash } = new URL(target);
  return origin === new URL(settings.PUBLIC_URL).origin ? `${pathname}${search}${hash}` : undefined;
}
