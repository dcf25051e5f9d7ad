import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { onTestFinished } from 'vitest';

/** The first one is the same browser without windows: it opens a page in half of the CPU time. */
const PLACES = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'] as const;
const EXECUTABLE = process.env.CHROMIUM ?? PLACES.find(existsSync) ?? PLACES[0];
/** No sandbox, because CI runs as root. No request that the page did not make. */
const OPTIONS = [
  ...['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
];

/** True if tests in a browser are skipped. With REQUIRE_BROWSER=1 a missing browser fails them. */
export const skipsBrowser = !existsSync(EXECUTABLE) && process.env.REQUIRE_BROWSER !== '1';

/** Starts a browser, which the caller closes. */
export function launchBrowser(): Promise<Browser> {
  if (!existsSync(EXECUTABLE)) {
    throw new Error(`There is no Chromium at ${EXECUTABLE}: install it, or set CHROMIUM.`);
  }
  return chromium.launch({ executablePath: EXECUTABLE, args: OPTIONS });
}

/** Starts a browser, which is closed after the test. */
export async function openBrowser(): Promise<Browser> {
  const browser = await launchBrowser();
  onTestFinished(() => browser.close());
  return browser;
}
