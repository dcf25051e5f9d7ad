import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startOwnApp } from '../../../test/app/app.js';
import { bundleOf } from './bundle.js';
import { EXERCISED } from './exercised.js';
import { newLibrary } from './library.js';

const EXECUTABLE = process.env.CHROMIUM ?? '/usr/bin/chromium';
/** No sandbox, because CI runs as root. No request that the page did not make. */
const OPTIONS = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
];
const isMissing = !existsSync(EXECUTABLE);

const page = createServer((_, response) => {
  response.setHeader('content-type', 'text/html').end('<!doctype html><title>Client</title>');
});
let origin: string;
let browser: Browser;
beforeAll(async () => {
  execFileSync(process.execPath, ['scripts/build-if-needed.mjs', 'client'], { stdio: 'inherit' });
  page.listen(0, '127.0.0.1');
  await once(page, 'listening');
  origin = `http://127.0.0.1:${(page.address() as AddressInfo).port}`;
  if (!isMissing) browser = await chromium.launch({ executablePath: EXECUTABLE, args: OPTIONS });
});
afterAll(async () => {
  await browser?.close();
  page.close();
});

it.skipIf(isMissing && process.env.REQUIRE_BROWSER !== '1')(
  'a page of another origin reads, writes, imports a file and follows changes',
  async () => {
    if (isMissing) throw new Error(`there is no Chromium at ${EXECUTABLE}: install it, or set CHROMIUM`);
    const app = await startOwnApp({ database: 'own', environment: { CORS_ORIGINS: origin } });
    try {
      const { key } = await newLibrary(app);
      const code = await bundleOf(`
        import * as client from '@typed-collections/client';
        import { exercise } from './exercise.mjs';
        globalThis.run = options => exercise(client, options);`);
      const tab = await browser.newPage();
      await tab.goto(origin);
      await tab.addScriptTag({ type: 'module', content: code });
      // A text, because vitest rewrites functions.
      const result = await tab.evaluate<{ slices: number }>(`run(${JSON.stringify({ url: app.url, key })})`);
      expect(result).toEqual(EXERCISED);
      expect(result.slices).toBeGreaterThan(3);
    } finally {
      await app.close();
    }
  },
);
