import { useEffect } from 'react';
import { announceSession } from '../../api/session-return.js';
import { t } from '../../i18n/language.js';
import { EmptyState } from '../../ui/states.js';

/** Ends a sign-in that another page asked for: that page goes on, and this window closes if the browser lets it. */
export function SignedInPage() {
  useEffect(() => {
    announceSession();
    window.close();
  }, []);
  return (
    <main id="content">
      <h1 className="visually-hidden">{t('common.signedInTitle')}</h1>
      <EmptyState title={t('common.signedInTitle')}>{t('common.signedInText')}</EmptyState>
    </main>
  );
}
