import { useMutation } from '@tanstack/react-query';
import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import { ConfirmButton } from '../../../ui/overlays/confirm-dialog.js';
import { ErrorBox } from '../../../ui/states/error-box.js';
import { useChange } from '../use-organization.js';

interface DisableButtonProps {
  readonly name: string;
  readonly disabled: boolean;
  readonly run: (disabled: boolean) => Promise<unknown>;
}

/** Disables a key or a service account after a question, or enables it again. */
export function DisableButton({ name, disabled, run }: DisableButtonProps) {
  const change = useChange();
  const enable = useMutation({ mutationFn: () => change(() => run(false)) });
  if (!disabled) {
    return (
      <ConfirmButton
        label={t('organization.disable')}
        name={t('organization.disableOf', { name })}
        title={t('organization.disableTitle', { name })}
        run={() => change(() => run(true))}
      >
        <p>{t('organization.disableText')}</p>
      </ConfirmButton>
    );
  }
  return (
    <>
      <Button
        aria-label={t('organization.enableOf', { name })}
        disabled={enable.isPending}
        onClick={() => enable.mutate()}
      >
        {t('organization.enable')}
      </Button>
      {enable.error !== null && <ErrorBox error={enable.error} />}
    </>
  );
}
