import { useBlocker } from '@tanstack/react-router';
import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import { Dialog } from '../../../ui/overlays/dialog.js';

/** Asks when somebody leaves the page of an import that runs. The browser asks by itself when the tab is closed. */
export function LeaveImport({ isRunning }: { readonly isRunning: boolean }) {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname,
    enableBeforeUnload: isRunning,
    disabled: !isRunning,
    withResolver: true,
  });
  if (blocker.status !== 'blocked') return null;
  return (
    <Dialog
      open
      onOpenChange={() => blocker.reset()}
      title={t('import.leaveTitle')}
      footer={
        <>
          <Button look="danger" onClick={blocker.proceed}>
            {t('import.leave')}
          </Button>
          <Button look="primary" onClick={blocker.reset}>
            {t('import.stay')}
          </Button>
        </>
      }
    >
      <p>{t('import.leaveText')}</p>
    </Dialog>
  );
}
