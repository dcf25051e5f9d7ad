import { useBlocker } from '@tanstack/react-router';
import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import { Dialog } from '../../../ui/overlays/dialog.js';
import { countChanges, NO_ROWS } from '../model/staged-edits.js';
import type { Editing } from '../use-editing.js';

/** Asks what becomes of unsaved changes when somebody goes to another page of the console. */
export function LeaveDialog({ editing }: { readonly editing: Editing }) {
  const { store, state } = editing;
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname,
    // The browser asks by itself: see useStagedStore.
    enableBeforeUnload: false,
    disabled: state.rows.size === 0,
    withResolver: true,
  });
  if (blocker.status !== 'blocked') return null;
  return (
    <Dialog
      open
      onOpenChange={() => blocker.reset()}
      title={t('edit.leaveTitle')}
      footer={
        <>
          <Button
            look="danger"
            onClick={() => {
              store.replace(NO_ROWS);
              blocker.proceed();
            }}
          >
            {t('edit.leaveDiscard')}
          </Button>
          <Button onClick={blocker.reset}>{t('edit.leaveStay')}</Button>
          <Button look="primary" onClick={blocker.proceed}>
            {t('edit.leaveKeep')}
          </Button>
        </>
      }
    >
      <p>{t('edit.leaveText', { count: countChanges(state.rows) })}</p>
    </Dialog>
  );
}
