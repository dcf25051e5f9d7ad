import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.js';
import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import { TextField } from '../../../ui/controls/field.js';
import { ErrorBox } from '../../../ui/states.js';
import styles from './entry.module.css';

interface EmailFormProps {
  readonly org: string | undefined;
  /** Where the link of the mail leads. */
  readonly next: string;
  readonly onSignedIn: () => void;
}

/** Signs in with a code that the service mails. */
export function EmailForm({ org, next, onSignedIn }: EmailFormProps) {
  const [email, setEmail] = useState('');
  const [code, setCode] = useState('');
  const start = useMutation({
    mutationFn: () =>
      api.authentication.startEmailLogin({
        email: email.trim(),
        redirect: next,
        ...(org !== undefined && { orgSlug: org }),
      }),
  });
  const finish = useMutation({
    mutationFn: (login_id: string) => api.authentication.finishEmailLoginOfPage({ login_id, code }),
    onSuccess: onSignedIn,
  });
  const { data: started } = start;
  const error = finish.error ?? start.error;
  return (
    <form
      className={styles.stack}
      aria-label={t('account.emailTitle')}
      onSubmit={event => {
        event.preventDefault();
        if (started === undefined) start.mutate();
        else finish.mutate(started.login_id);
      }}
    >
      {started === undefined ? (
        <TextField label={t('account.email')} required maxLength={320} value={email} onChange={setEmail} />
      ) : (
        <>
          <p role="status">{t('account.emailSent', { email: email.trim() })}</p>
          <TextField
            label={t('account.emailCode')}
            required
            maxLength={100}
            value={code}
            onChange={setCode}
          />
        </>
      )}
      {error !== null && <ErrorBox error={error} />}
      <Button type="submit" className={styles.wide ?? ''} disabled={start.isPending || finish.isPending}>
        {t(started === undefined ? 'account.emailTitle' : 'common.signIn')}
      </Button>
      {started !== undefined && (
        <Button
          className={styles.wide ?? ''}
          onClick={() => {
            start.reset();
            finish.reset();
            setCode('');
          }}
        >
          {t('account.emailAgain')}
        </Button>
      )}
    </form>
  );
}
