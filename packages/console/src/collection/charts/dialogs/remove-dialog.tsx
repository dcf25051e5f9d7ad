import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import { Dialog } from '../../../ui/overlays/dialog.js';
import type { Chart } from '../model/chart.js';

/** Asks before a chart is deleted, by its name. */
export function RemoveDialog({
  chart,
  onCancel,
  onRemove,
}: {
  readonly chart: Chart;
  readonly onCancel: () => void;
  readonly onRemove: () => void;
}) {
  const title = chart.title === '' ? t('charts.untitled') : chart.title;
  return (
    <Dialog
      open
      onOpenChange={onCancel}
      title={t('charts.removeTitle', { title })}
      footer={
        <>
          <Button onClick={onCancel}>{t('common.cancel')}</Button>
          <Button look="danger" onClick={onRemove}>
            {t('charts.removeNow', { title })}
          </Button>
        </>
      }
    >
      <p>{t('charts.removeText')}</p>
    </Dialog>
  );
}
