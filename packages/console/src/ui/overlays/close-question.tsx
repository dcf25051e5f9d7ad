import { createContext, type FormEvent, useContext, useEffect, useRef } from 'react';
import { t } from '../../i18n/language.js';
import { Button } from '../controls/button.js';
import styles from './dialog.module.css';

/** What is lost when a dialog is closed: a text, a secret that is shown once, or the result of a request. */
type Loss = 'input' | 'secret' | 'result';

interface CloseQuestionProps {
  readonly loss: Loss;
  readonly onStay: () => void;
  readonly onClose: () => void;
}

/** Asks before a stray key or press closes a dialog. It stands in the place of its buttons. */
export function CloseQuestion({ loss, onStay, onClose }: CloseQuestionProps) {
  const stay = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    stay.current?.focus();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <footer className={styles.footer}>
      <p role="alert" className={styles.question}>
        {t(`common.loss_${loss}`)}
      </p>
      <Button onClick={onClose}>{t('common.closeAnyway')}</Button>
      <Button ref={stay} look="primary" onClick={onStay}>
        {t('common.stayHere')}
      </Button>
    </footer>
  );
}

/** Counts the secrets that a dialog shows. */
export const ShownSecrets = createContext<(change: (count: number) => number) => void>(() => undefined);

/** Tells the dialog around a secret that closing it loses the secret. */
export function useSecretShown(): void {
  const count = useContext(ShownSecrets);
  useEffect(() => {
    count(before => before + 1);
    return () => count(before => before - 1);
  }, [count]);
}

/** True for the input of a text: a choice is made again with one press. */
export function isTextInput({ target }: FormEvent): boolean {
  if (target instanceof HTMLInputElement) return !/^(?:checkbox|radio|range|color)$/.test(target.type);
  return !(target instanceof HTMLSelectElement);
}
