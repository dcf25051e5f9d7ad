import { TcError } from '@typed-collections/client';
import type { ReactNode } from 'react';
import { hasMessage, t } from '../i18n/language.js';
import { Button } from './controls/button.js';
import styles from './states/empty-state.module.css';
import errorBox from './states/error-box.module.css';
import loading from './states/loading.module.css';

interface EmptyStateProps {
  readonly title: string;
  readonly children?: ReactNode;
  /** What to do next, as buttons or links. */
  readonly actions?: ReactNode;
}

/** A page or table that has nothing to show says why and what to do next. */
export function EmptyState({ title, children, actions }: EmptyStateProps) {
  return (
    <div className={styles.empty}>
      <h2>{title}</h2>
      {children !== undefined && <div className={styles.text}>{children}</div>}
      {actions !== undefined && <div className={styles.actions}>{actions}</div>}
    </div>
  );
}

interface ErrorBoxProps {
  readonly error: unknown;
  /** Shown as a button. Leave it out if trying again cannot help. */
  readonly onRetry?: () => void;
}

/** Why something failed: a title by the code, the message of the service, and the reference to quote. */
export function ErrorBox({ error, onRetry }: ErrorBoxProps) {
  const reference = error instanceof TcError ? error.requestId : undefined;
  return (
    <div role="alert" className={errorBox.box}>
      <p className={errorBox.title}>{titleOf(error)}</p>
      <p>{error instanceof Error ? error.message : String(error)}</p>
      {reference !== undefined && (
        <p className={errorBox.reference}>{t('common.reference', { id: reference })}</p>
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

/** Grey lines where text will be. Screen readers hear one word. */
export function Loading({ lines = 3 }: { readonly lines?: number }) {
  return (
    <div role="status" className={loading.loading}>
      <span className="visually-hidden">{t('common.loading')}</span>
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all the same
        <span key={line} aria-hidden className={loading.line} />
      ))}
    </div>
  );
}
