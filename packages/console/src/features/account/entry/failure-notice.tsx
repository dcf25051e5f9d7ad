import { hasMessage, t } from '../../../i18n/language.js';
import type { FailedWay } from '../search.js';
import styles from './entry.module.css';

/** Why a sign-in link or a sign-in at a provider failed before the browser came here. */
export function FailureNotice({
  failed,
  error = '',
}: {
  readonly failed: FailedWay;
  readonly error?: string | undefined;
}) {
  return (
    <div role="alert" className={styles.notice}>
      <p className={styles.noticeTitle}>
        {t(failed === 'link' ? 'account.failedLink' : 'account.failedProvider')}
      </p>
      <p>{textOf(failed, error)}</p>
    </div>
  );
}

function textOf(failed: FailedWay, error: string): string {
  if (failed === 'link' && error !== 'TooManyRequests') {
    return t(error === 'Unauthorized' ? 'account.failedLinkUnauthorized' : 'account.failedLinkOther');
  }
  const key = `account.failed${error}`;
  const known = hasMessage(key) && CODES.includes(error);
  return t(known ? key : 'account.failedOther');
}

/** The codes that have a text of their own. */
const CODES = [
  'InvalidArguments',
  'Forbidden',
  'OrganizationRequired',
  'NotFound',
  'Unavailable',
  'TooManyRequests',
];
