import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startOwnApp } from '../../../test/harness/app.js';
import { openBrowser, skipsBrowser } from '../../../test/harness/chromium.js';
import { bundleOf } from './bundle.js';
import { EXERCISED } from './exercised.js';
import { newLibrary } from './library.js';

const page = createServer((_, response) => {
  response.setHeader('content-type', 'text/html').end('<!doctype html><title>Client</title>');
});
let origin: string;
beforeAll(async () => {
  execFileSync(process.execPath, ['scripts/build-if-needed.mjs', 'client'], { stdio: 'inherit' });
  page.listen(0, '127.0.0.1');
  await once(page, 'listening');
  origin = `http://127.0.0.1:${(page.address() as AddressInfo).port}`;
});
afterAll(() => void page.close());

it.skipIf(skipsBrowser)(
  'a page of another origin reads, writes, imports a file and follows changes',
  async () => {
    const browser = await openBrowser();
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
