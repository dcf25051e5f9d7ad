import { useBlocker } from '@tanstack/react-router';
import type { CollectionInfo } from '../../../api/collection-query.js';
import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import { Dialog } from '../../../ui/overlays/dialog.js';
import type { FilePlan } from '../file/plan.js';
import { RefusedSection } from '../refused/refused-section.js';
import { RunPanel } from '../run/run-panel.js';
import type { FileImport } from '../run/use-file-import.js';

interface ImportResultProps {
  readonly importing: FileImport;
  readonly plan: FilePlan;
  readonly fileName: string;
  readonly info: CollectionInfo;
  /** The collection as addresses name it. */
  readonly inAddress: string;
}

/** The progress of an import, and the rows that were refused. Nothing before it has begun. */
export function ImportResult({ importing, plan, fileName, info, inAddress }: ImportResultProps) {
  const { run, sendCorrected } = importing;
  const { state, isRunning } = run;
  if (state === undefined) return null;
  const maySend = !isRunning && !state.job.options.dryRun && state.job.options.onError === 'skip';
  return (
    <>
      <LeaveImport isRunning={isRunning} />
      <RunPanel run={run} state={state} info={info} inAddress={inAddress} />
      {state.refused.length > 0 && (
        <RefusedSection
          state={state}
          plan={plan}
          fileName={fileName}
          onSend={maySend ? sendCorrected : undefined}
        />
      )}
    </>
  );
}

/** Asks when somebody leaves the page of an import that runs. The browser asks by itself when the tab is closed. */
function LeaveImport({ isRunning }: { readonly isRunning: boolean }) {
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
