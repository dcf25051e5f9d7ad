import type { CollectionInfo } from '../../../api/collection-query.js';
import type { FilePlan } from '../file/slices.js';
import { RefusedSection } from '../refused/refused-section.js';
import { LeaveImport } from '../run/leave-import.js';
import { RunPanel } from '../run/run-panel.js';
import type { useFileImport } from './use-file-import.js';

interface ImportResultProps {
  readonly importing: ReturnType<typeof useFileImport>;
  readonly plan: FilePlan;
  readonly fileName: string;
  readonly info: CollectionInfo;
  /** The collection as addresses name it. */
  readonly inAddress: string;
}

/** The progress of an import, and the rows that were refused. Nothing before it has begun. */
export function ImportResult({ importing, plan, fileName, info, inAddress }: ImportResultProps) {
  const { runner, sendCorrected } = importing;
  const { state, isRunning } = runner;
  if (state === undefined) return null;
  const maySend = !isRunning && !state.job.isCheck && !state.job.isAllOrNothing;
  return (
    <>
      <LeaveImport isRunning={isRunning} />
      <RunPanel {...{ runner, state, info, inAddress }} />
      {state.refused.length > 0 && (
        <RefusedSection {...{ state, plan, fileName }} onSend={maySend ? sendCorrected : undefined} />
      )}
    </>
  );
}
