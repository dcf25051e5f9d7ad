import { api } from '../../api/client.js';
import { announceSession } from '../../api/session-return.js';
import { t } from '../../i18n/language.js';
import { forgetEdits, hasEdits } from '../../records/edit/model/stored-edits.js';

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
