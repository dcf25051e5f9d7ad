import { t } from '../i18n/language.js';
import { Dialog } from '../ui/dialog.js';
import { useSessionEnded } from './session-state.js';

/** Asks to sign in again over the open page when its session ended. The page keeps what was typed. */
export function SessionDialog() {
  const ended = useSessionEnded();
  const address = `/console/sign-in?next=${encodeURIComponent('/console/signed-in')}`;
  return (
    <Dialog open={ended} onOpenChange={() => undefined} title={t('common.sessionEndedTitle')}>
      <p>{t('common.sessionEndedText')}</p>
      <a href={address} target="_blank" rel="noreferrer">
        {t('common.signInAgain')}
      </a>
    </Dialog>
  );
}
