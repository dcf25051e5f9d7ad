import { useMutation } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import { TextField } from '../../../ui/controls/text-field.js';
import { deviceName } from '../device-name.js';
import styles from '../entry/entry.module.css';
import { joinWithPasskey } from '../passkeys/ceremonies.js';
import { CeremonyProblem } from '../passkeys/ceremony-problem.js';
import { isUnusable } from './unusable.js';

interface JoinFormProps {
  readonly code: string;
  readonly onJoined: () => void;
  readonly onUnusable: () => void;
}

/** A new person gives a name and makes a passkey. */
export function JoinForm({ code, onJoined, onUnusable }: JoinFormProps) {
  const [name, setName] = useState('');
  const [isMissing, setMissing] = useState(false);
  const join = useMutation({
    mutationFn: () => joinWithPasskey(code, name.trim(), deviceName(navigator.userAgent)),
    onSuccess: onJoined,
    onError: error => isUnusable(error) && onUnusable(),
  });
  return (
    <form
      className={styles.stack}
      noValidate
      onSubmit={event => {
        event.preventDefault();
        setMissing(name.trim() === '');
        if (name.trim() !== '') join.mutate();
      }}
    >
      <TextField
        label={t('account.joinName')}
        hint={t('account.joinNameHint')}
        error={isMissing ? t('account.joinNameMissing') : undefined}
        name="name"
        autoComplete="name"
        maxLength={200}
        required
        value={name}
        onChange={value => {
          setName(value);
          setMissing(false);
        }}
      />
      <Button
        type="submit"
        look="primary"
        className={styles.wide ?? ''}
        icon={<KeyRound size={18} aria-hidden />}
        disabled={join.isPending}
      >
        {t('account.joinWithPasskey')}
      </Button>
      {join.error !== null && !isUnusable(join.error) && <CeremonyProblem error={join.error} />}
    </form>
  );
}
