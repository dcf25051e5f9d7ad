import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { TestApp } from '../../harness/app.js';
import type { Person } from '../../scenarios/auth/person.js';
import { newInvite } from '../../scenarios/invites/invite.js';
import { newOrg, type TestOrg } from '../../scenarios/orgs/org.js';
import { PasskeyDevice } from '../support/passkey-device.js';

/** The address of the page of an invitation, below `/console`. */
export async function invitation(app: TestApp, org?: TestOrg): Promise<string> {
  const { code } = await newInvite(app, org ?? (await newOrg(app)));
  return `/join?code=${code}`;
}

/** Joins at the page of an invitation with a new passkey, which the device of the page keeps. */
export async function joinAs(
  page: Page,
  name: string,
  options?: { offersAtFields: boolean },
): Promise<PasskeyDevice> {
  const device = await PasskeyDevice.of(page, options);
  await page.getByLabel('Your name').fill(name);
  await page.getByRole('button', { name: 'Join with a passkey' }).click();
  await arrived(page, '/console/collections');
  return device;
}

/** Waits until the page is at this path. */
export async function arrived(page: Page, path: string): Promise<void> {
  await expect.poll(() => new URL(page.url()).pathname).toBe(path);
}

/** Forgets who is signed in, and opens a page of the console. */
export async function openSignedOut(page: Page, app: TestApp, path: string): Promise<void> {
  await page.context().clearCookies();
  await page.goto(`${app.url}/console${path}`);
}

/** Makes the session of a person older than the time in which passkeys can be added. */
export async function ageSessions(app: TestApp, { userId }: Pick<Person, 'userId'>): Promise<void> {
  await app.sql(`UPDATE sessions SET created_at = created_at - interval '11 minutes' WHERE user_id = $1`, [
    userId,
  ]);
}
