import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import { Dialog } from '../../../ui/overlays/dialog.js';
import { ErrorBox } from '../../../ui/states/error-box.js';
import type { SavedView, useViewChanges } from './use-views.js';

interface DeleteViewDialogProps {
  readonly changes: ReturnType<typeof useViewChanges>;
  readonly view: SavedView;
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}

export function DeleteViewDialog({ changes: { remove }, view, open, onOpenChange }: DeleteViewDialogProps) {
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={t('find.deleteTitle')}
      footer={
        <>
          <Button onClick={() => onOpenChange(false)}>{t('common.cancel')}</Button>
          <Button
            look="danger"
            disabled={remove.isPending}
            onClick={() => remove.mutate(view, { onSuccess: () => onOpenChange(false) })}
          >
            {t('find.viewDelete')}
          </Button>
        </>
      }
    >
      <p>
        {t('find.deleteViewText', { name: view.name })} {view.for === 'all' && t('find.deleteViewForAll')}
      </p>
      {remove.error !== null && <ErrorBox error={remove.error} />}
    </Dialog>
  );
}
