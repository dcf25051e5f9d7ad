import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

const MOST_STEPS = 100;

/** Presses Tab (or another key) until the element has the focus. Throws if it never gets it. */
export async function focusByKeyboard(page: Page, wanted: Locator, key = 'Tab'): Promise<void> {
  await wanted.waitFor();
  for (let step = 0; step < MOST_STEPS; step++) {
    if (await isFocused(wanted)) return;
    await page.keyboard.press(key);
  }
  throw new Error(`${key} never reached ${wanted}`);
}

/** True if the element, or an element inside it, has the focus. The element may be in a shadow root. */
export function isFocused(wanted: Locator): Promise<boolean> {
  return wanted.evaluate(element => element.contains(Reflect.get(element.getRootNode(), 'activeElement')));
}

/** Waits until the element, or an element inside it, has the focus: dialogs take it some frames after they are drawn. */
export async function expectFocus(wanted: Locator): Promise<void> {
  await expect.poll(() => isFocused(wanted)).toBe(true);
}

/**
 * Writes a text with an input method, as for Chinese or Japanese, and presses a key that the method takes for itself:
 * Enter would confirm the text, Escape give it up. The text is not confirmed yet.
 */
export async function compose(page: Page, text: string, key: 'Enter' | 'Escape'): Promise<void> {
  const browser = await page.context().newCDPSession(page);
  const end = text.length;
  await browser.send('Input.imeSetComposition', { text, selectionStart: end, selectionEnd: end });
  const pressed = { key, code: key, windowsVirtualKeyCode: 229 };
  await browser.send('Input.dispatchKeyEvent', { ...pressed, type: 'rawKeyDown' });
  await browser.send('Input.dispatchKeyEvent', { ...pressed, type: 'keyUp' });
  await browser.detach();
}
