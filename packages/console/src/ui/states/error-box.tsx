import { TcError } from '@typed-collections/client';
import { hasMessage, t } from '../../i18n/language.js';
import { Button } from '../controls/button.js';
import styles from './error-box.module.css';

interface ErrorBoxProps {
  readonly error: unknown;
  /** Shown as a button. Leave it out if trying again cannot help. */
  readonly onRetry?: () => void;
}

/** Why something failed: a title by the code, the message of the service, and the reference to quote. */
export function ErrorBox({ error, onRetry }: ErrorBoxProps) {
  const reference = error instanceof TcError ? error.requestId : undefined;
  return (
    <div role="alert" className={styles.box}>
      <p className={styles.title}>{titleOf(error)}</p>
      <p>{error instanceof Error ? error.message : String(error)}</p>
      {reference !== undefined && (
        <p className={styles.reference}>{t('common.reference', { id: reference })}</p>
      )}
      {onRetry !== undefined && <Button onClick={onRetry}>{t('common.retry')}</Button>}
    </div>
  );
}

/** The title of a failure in the language of the page. */
export function titleOf(error: unknown): string {
  const key = error instanceof TcError ? `errors.${error.code}` : '';
  return t(hasMessage(key) ? key : 'errors.HttpError');
}
