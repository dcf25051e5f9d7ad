import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';

/** Makes the browser one without access to files: it downloads a file when the file is complete. */
export async function withoutFileAccess(page: Page): Promise<void> {
  await page.evaluate('delete window.showSaveFilePicker; delete Window.prototype.showSaveFilePicker');
}

/** The file that the browser downloads after `begin`. */
export async function downloaded(
  page: Page,
  begin: () => Promise<void>,
): Promise<{ readonly name: string; readonly text: string }> {
  const [download] = await Promise.all([page.waitForEvent('download'), begin()]);
  return { name: download.suggestedFilename(), text: await readFile(await download.path(), 'utf8') };
}
