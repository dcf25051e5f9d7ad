import { TcError } from '@typed-collections/client';
import { useEffect } from 'react';
import { api } from '../../api/client.js';
import { serviceUnreachable, useFlag } from '../../api/page-flags.js';
import { repeatFailedQueries } from '../../api/query-client.js';
import { t } from '../../i18n/language.js';
import styles from './shell.module.css';

const PAUSE_MS = 1_000;

/** The message that the service does not answer. When the service answers again, failed requests are repeated. */
export function ConnectionBanner() {
  const unreachable = useFlag(serviceUnreachable);
  useEffect(() => (unreachable ? watchForService() : undefined), [unreachable]);
  return (
    <div role="status">
      {unreachable && <p className={styles.banner}>{t('common.serviceUnreachable')}</p>}
    </div>
  );
}

/** Asks until the service answers. Returns how to stop. */
function watchForService(): () => void {
  const stop = new AbortController();
  const ask = async () => {
    const answered = await api.authentication.getMe({}, { signal: stop.signal }).then(() => true, isRefusal);
    if (stop.signal.aborted) return;
    if (!answered) {
      setTimeout(() => void ask(), PAUSE_MS);
      return;
    }
    serviceUnreachable.set(false);
    repeatFailedQueries();
  };
  void ask();
  return () => stop.abort();
}

/** A refusal is an answer of the service; 5xx may be that of a proxy before it. */
function isRefusal(error: unknown): boolean {
  return error instanceof TcError && error.status >= 400 && error.status < 500;
}
