import type { Page } from 'playwright-core';

/** Chooses a file with the dialog of the browser. */
export async function chooseFile(page: Page, name: string, content: string | Buffer): Promise<void> {
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Choose a file' }).click(),
  ]);
  await chooser.setFiles({ name, mimeType: '', buffer: Buffer.from(content) });
}
