import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { test as base, expect } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import { launchBrowser, skipsBrowser } from '../../harness/chromium.js';
import { collectProblems } from './watched-page.js';

/** What the browser is like. */
interface Look {
  /** 360 pixels wide, with a touch screen. */
  readonly phone?: true;
  /** The language of the browser. Default: English. */
  readonly language?: 'en' | 'fr';
}

/** How a page is opened. */
interface Visit extends Look {
  /** The JWT of who is signed in; without it nobody is. */
  readonly as?: { readonly token?: string };
  /** Default: the app that the test files of a worker share. */
  readonly app?: TestApp;
}

interface Fixtures {
  /** The app that the test files of a worker share. */
  readonly app: TestApp;
  /**
   * Opens an address of the console (`/collections`) in a browser of its own, with cookies and storage of its own. The
   * test fails at its end if any of its pages had an uncaught error, logged an error or violated the policy.
   */
  readonly visit: (path: string, visit?: Visit) => Promise<Page>;
  /** An empty page in a browser of its own, watched in the same way. */
  readonly browsing: (look: Look) => Promise<Page>;
}

/** Where the screenshots of failed tests are. */
const SCREENSHOTS = join(process.cwd(), 'dist/console-failures');

const extended = base
  // One Chromium for all tests of a worker.
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads the names of fixtures from a pattern
  .extend('browser', { scope: 'worker' }, async ({}, { onCleanup }) => {
    const browser: Browser = await launchBrowser();
    onCleanup(() => browser.close());
    return browser;
  })
  .extend<Fixtures>({
    // biome-ignore lint/correctness/noEmptyPattern: vitest reads the names of fixtures from a pattern
    app: async ({}, use) => use(await startApp()),
    browsing: async ({ browser, task }, use) => {
      const visits: { context: BrowserContext; problems: readonly string[] }[] = [];
      await use(async look => {
        const context = await browser.newContext(contextOptions(look));
        context.setDefaultTimeout(60_000);
        visits.push({ context, problems: await collectProblems(context) });
        return context.newPage();
      });
      if (task.result?.state === 'fail') await keepScreenshots(task.name, visits);
      const problems = visits.flatMap(visit => visit.problems);
      await Promise.all(visits.map(({ context }) => context.close()));
      expect(problems, `problems of the pages, in Chromium ${browser.version()}`).toEqual([]);
    },
    visit: async ({ browsing, app }, use) =>
      use(async (path, visit = {}) => {
        const page = await browsing(visit);
        await enter(page, visit.app ?? app, path, visit.as?.token);
        return page;
      }),
  });

/** A test of the console in a browser. Skipped without a browser, unless REQUIRE_BROWSER=1 makes it fail. */
export const test = skipsBrowser ? (extended.skip as unknown as typeof extended) : extended;

function contextOptions({ phone, language = 'en' }: Look) {
  return {
    locale: language === 'fr' ? 'fr-FR' : 'en-GB',
    timezoneId: 'Europe/Paris',
    reducedMotion: 'reduce' as const,
    viewport: phone ? { width: 360, height: 740 } : { width: 1280, height: 800 },
    ...(phone && { hasTouch: true, isMobile: true }),
    permissions: ['clipboard-read', 'clipboard-write'],
  };
}

/** Signs the browser in with a one-time link, which leads to the page. */
async function enter(page: Page, app: TestApp, path: string, token: string | undefined): Promise<void> {
  const redirect = `/console${path}`;
  if (token === undefined) {
    await page.goto(`${app.url}${redirect}`);
    return;
  }
  const minted = await app.request('POST', '/v2/user/webSessionTicket', { token, body: { redirect } });
  if (minted.status !== 201) throw new Error(`no sign-in link: ${minted.status} ${minted.text}`);
  await page.goto(minted.body.url);
}

async function keepScreenshots(name: string, visits: readonly { context: BrowserContext }[]): Promise<void> {
  await mkdir(SCREENSHOTS, { recursive: true });
  const pages = visits.flatMap(({ context }) => context.pages());
  for (const [index, page] of pages.entries()) {
    const path = join(SCREENSHOTS, `${name.replaceAll(/[^\w]+/g, '-').slice(0, 80)}-${index}.png`);
    await page.screenshot({ path, fullPage: true }).catch(() => undefined);
    process.stderr.write(`screenshot of the failed test: ${path}\n`);
  }
}
