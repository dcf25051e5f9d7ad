import { t } from '../../i18n/language.js';
import { Button } from '../../ui/controls/button.js';
import { Dialog } from '../../ui/overlays/dialog.js';
import styles from './charts.module.css';
import type { ChartsConflict } from './charts-data.js';
import { differences } from './model/changed-charts.js';

interface ConflictDialogProps {
  readonly conflict: ChartsConflict;
  /** Takes the charts as somebody else saved them, without the change made here. */
  readonly onTheirs: () => void;
  /** Makes the change again on the charts as somebody else saved them. */
  readonly onMine: () => void;
}

/** Two people saved charts at once: what the other one changed, and what would be changed on top of it. */
export function ConflictDialog({ conflict, onTheirs, onMine }: ConflictDialogProps) {
  const { before, theirs, change } = conflict;
  return (
    <Dialog
      open
      onOpenChange={() => onTheirs()}
      title={t('charts.conflictTitle')}
      footer={
        <>
          <Button onClick={onTheirs}>{t('charts.keepTheirs')}</Button>
          <Button look="primary" onClick={onMine}>
            {t('charts.saveMine')}
          </Button>
        </>
      }
    >
      <p>{t('charts.conflictText')}</p>
      <h3>{t('charts.theirChanges')}</h3>
      <Changes {...differences(before.charts, theirs.charts)} />
      <h3>{t('charts.myChanges')}</h3>
      <Changes {...differences(theirs.charts, change(theirs.charts))} />
    </Dialog>
  );
}

function Changes(changes: ReturnType<typeof differences>) {
  const lines = (['added', 'changed', 'removed'] as const).flatMap(kind =>
    changes[kind].map(title => t(`charts.${kind}`, { title: title === '' ? t('charts.untitled') : title })),
  );
  if (lines.length === 0) return <p>{t('charts.onlyOrder')}</p>;
  return (
    <ul className={styles.changes}>
      {lines.map(line => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}
