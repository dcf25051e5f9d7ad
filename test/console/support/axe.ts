import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Result } from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Less than half as long as `source` of the package, so a browser reads it in two thirds of the time. */
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/**
 * What axe-core looks at: the dialog in front of a page that it hides, else the whole page. An open menu stands outside of
 * the landmarks, at the end of the page: it is in front of all of them.
 */
const CONTEXT = `(() => {
  const dialogs = [...document.querySelectorAll('[role="dialog"], [role="alertdialog"]')];
  const hidesPage = document.querySelector('[aria-hidden="true"] main, [inert] main') !== null;
  return dialogs.length > 0 && hidesPage ? { include: dialogs } : document;
})()`;
const ALL_RULES = `{
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  resultTypes: ['violations'],
  rules: { region: { enabled: document.querySelector('[role="menu"]') === null } },
}`;
/** The rules that look at colours. The others find the same in light and in dark. */
const RULES_OF_COLOURS = `{
  runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] },
  resultTypes: ['violations'],
}`;
/** What the style sheets know of each element: its classes, and the states that its attributes name. */
const STYLED = `[...new Set([...document.querySelectorAll('body *')].map(element => [
  element.localName,
  ...element.classList,
  ...element.getAttributeNames().filter(name => /^(data-|disabled$)/.test(name)),
  ...['selected', 'current', 'invalid', 'disabled', 'pressed', 'checked'].map(state => element.getAttribute('aria-' + state)),
].join()))]`;

/** What this worker has seen in dark. */
const inDark = new Set<string>();

/**
 * Expects that axe-core finds no violation of WCAG 2.2 AA on the page as it is now, in light; and in dark, if the page has
 * an element of a kind or in a state that no page had before.
 */
export async function expectAccessible(page: Page): Promise<void> {
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(AXE);
  await expectNoViolations(page, 'light', ALL_RULES);
  const styled = await page.evaluate<string[]>(STYLED);
  if (styled.every(each => inDark.has(each))) return;
  await expectNoViolations(page, 'dark', RULES_OF_COLOURS);
  // Only now: a test that is repeated after a violation finds it again.
  for (const each of styled) inDark.add(each);
}

async function expectNoViolations(page: Page, colorScheme: 'light' | 'dark', options: string): Promise<void> {
  await page.emulateMedia({ colorScheme });
  const { violations } = await page.evaluate<{ violations: readonly Result[] }>(
    `axe.run(${CONTEXT}, ${options})`,
  );
  expect(violations.flatMap(described), `${page.url()} in ${colorScheme}`).toEqual([]);
}

function described({ id, help, nodes }: Result): string[] {
  return nodes.map(({ html, failureSummary }) => `${id}: ${help}\n${html}\n${failureSummary}`);
}
