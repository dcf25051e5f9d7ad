import { skipsBrowser } from './chromium.js';

/** Says once per run that the tests in a browser do not run. */
export default function noticeMissingBrowser(): void {
  if (!skipsBrowser) return;
  process.stderr.write(
    'There is no Chromium: tests in a browser are SKIPPED. Install it: apt-get install -y --no-install-recommends chromium-headless-shell fonts-liberation\n',
  );
}
