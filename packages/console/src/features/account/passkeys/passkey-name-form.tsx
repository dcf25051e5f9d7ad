import { type ReactNode, useState } from 'react';
import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import { TextField } from '../../../ui/controls/text-field.js';
import styles from './passkeys.module.css';

/** The longest name that the service takes. */
const MAX_LENGTH = 100;

interface PasskeyNameFormProps {
  readonly initial: string;
  /** The text of the button. */
  readonly action: string;
  readonly isBusy: boolean;
  readonly onCancel: () => void;
  readonly onName: (name: string) => void;
  /** What went wrong. */
  readonly children: ReactNode;
}

/** The content of a dialog that asks for the name of a passkey. */
export function PasskeyNameForm({
  initial,
  action,
  isBusy,
  onCancel,
  onName,
  children,
}: PasskeyNameFormProps) {
  const [name, setName] = useState(initial);
  const [isMissing, setMissing] = useState(false);
  return (
    <form
      className={styles.stack}
      noValidate
      onSubmit={event => {
        event.preventDefault();
        setMissing(name.trim() === '');
        if (name.trim() !== '') onName(name.trim());
      }}
    >
      <TextField
        label={t('account.passkeyName')}
        error={isMissing ? t('account.passkeyNameMissing') : undefined}
        maxLength={MAX_LENGTH}
        required
        value={name}
        onChange={value => {
          setName(value);
          setMissing(false);
        }}
      />
      {children}
      <div className={styles.buttons}>
        <Button onClick={onCancel}>{t('common.cancel')}</Button>
        <Button type="submit" look="primary" disabled={isBusy}>
          {action}
        </Button>
      </div>
    </form>
  );
}
