import { api } from '../../api/client.js';
import { forgetEdits, hasEdits } from '../../collection/edit/model/stored-edits.js';
import { t } from '../../i18n/language.js';
import { announceSession } from './session-return.js';

/** Ends the session of this browser and opens the sign-in page. Unsaved changes are forgotten, after a question. */
export async function signOut(): Promise<void> {
  if (hasEdits(localStorage) && !window.confirm(t('edit.signOutQuestion'))) return;
  await endSession();
  forgetEdits(localStorage);
  location.assign('/console/sign-in');
}

/** Ends the session of this browser, for all its pages. */
export async function endSession(): Promise<void> {
  await api.authentication.logout();
  announceSession();
}
