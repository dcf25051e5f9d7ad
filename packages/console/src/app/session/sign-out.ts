import { api } from '../../api/client.js';
import { forgetEdits, hasEdits } from '../../collection/edit/model/stored-edits.js';
import { t } from '../../i18n/language.js';

/** Ends the session of this browser and opens the sign-in page. Unsaved changes are forgotten, after a question. */
export async function signOut(): Promise<void> {
  if (hasEdits(localStorage) && !window.confirm(t('edit.signOutQuestion'))) return;
  await api.authentication.logout();
  forgetEdits(localStorage);
  location.assign('/console/sign-in');
}
