import { useMutation } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import { Field, Input } from '../../../ui/controls/field.js';
import { signInWithPasskey } from '../passkeys/ceremonies.js';
import { CeremonyProblem } from '../passkeys/ceremony-problem.js';
import { useOfferedPasskeys } from '../passkeys/use-offered-passkeys.js';
import styles from './entry.module.css';

/** Signs in with a passkey: by the button, or by the list that some browsers offer at a field. */
export function PasskeyForm({ onSignedIn }: { readonly onSignedIn: () => void }) {
  const inField = useOfferedPasskeys(onSignedIn);
  const signIn = useMutation({
    // The browser shows one prompt at a time, so that the list at the field ends first.
    mutationFn: () => inField.paused(() => signInWithPasskey()),
    onSuccess: onSignedIn,
  });
  const error = signIn.error ?? inField.error;
  return (
    <form
      className={styles.stack}
      onSubmit={event => {
        event.preventDefault();
        signIn.mutate();
      }}
    >
      {inField.isOffered && (
        <Field label={t('account.passkeyField')} hint={t('account.passkeyFieldHint')}>
          {control => (
            <Input
              {...control}
              name="username"
              autoComplete="username webauthn"
              autoCapitalize="none"
              spellCheck={false}
            />
          )}
        </Field>
      )}
      <Button
        type="submit"
        look="primary"
        className={styles.wide ?? ''}
        icon={<KeyRound size={18} aria-hidden />}
        disabled={signIn.isPending}
      >
        {t('account.signInWithPasskey')}
      </Button>
      {error !== null && <CeremonyProblem error={error} />}
    </form>
  );
}
