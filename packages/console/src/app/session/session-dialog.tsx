import { type MouseEvent, useEffect } from 'react';
import { sessionEnded } from '../../api/page-flags.js';
import { checkOnFocus } from '../../api/session-return.js';
import { t } from '../../i18n/language.js';
import buttons from '../../ui/controls/button.module.css';
import { Dialog } from '../../ui/overlays/dialog.js';

const ADDRESS = `/console/sign-in?next=${encodeURIComponent('/console/signed-in')}`;

/**
 * Asks to sign in again when the session of an open page ended. Signing in happens in a window of its own, so that the
 * page keeps what was typed. If the dialog is closed, the next refused request opens it again.
 */
export function SessionDialog() {
  useEffect(checkOnFocus, []);
  const openWindow = (event: MouseEvent) => {
    if (window.open(ADDRESS, 'sign-in', 'popup,width=520,height=760') !== null) event.preventDefault();
  };
  return (
    <Dialog open onOpenChange={sessionEnded.set} title={t('common.sessionEndedTitle')}>
      <p>{t('common.sessionEndedText')}</p>
      <p>
        {/* A link, because browsers may refuse to open a window. */}
        <a
          href={ADDRESS}
          target="_blank"
          rel="noreferrer"
          className={`${buttons.button} ${buttons.primary}`}
          onClick={openWindow}
        >
          {t('common.signInAgain')}
        </a>
      </p>
    </Dialog>
  );
}
