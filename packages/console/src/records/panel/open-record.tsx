import type { RefObject } from 'react';
import type { CollectionInfo } from '../../api/collection-query.js';
import type { Editing } from '../edit/use-editing.js';
import type { GridHandle } from '../grid/table/data-grid.js';
import type { RecordActions } from '../grid/use-grid-actions.js';
import type { RecordWindow } from '../window/record-window.js';
import { RecordContent } from './record-content.js';
import { RecordPanel } from './record-panel.js';

interface OpenRecordProps {
  readonly info: CollectionInfo;
  readonly recordId: string;
  readonly editing: Editing | undefined;
  /** The instant whose records are shown; undefined for now. */
  readonly asOf: string | undefined;
  readonly window: RecordWindow;
  readonly actions: RecordActions;
  /** Asks whether to delete the record. */
  readonly onDelete: () => void;
  readonly grid: RefObject<GridHandle | null>;
}

/** The panel of the record that the address names, with steps to the records beside it in the grid. */
export function OpenRecord(props: OpenRecordProps) {
  const { info, recordId, editing, asOf, window, actions, grid, onDelete } = props;
  const row = window.indexOf(recordId);
  const step = (by: number) => {
    const next = row === undefined ? undefined : window.at(row + by);
    if (next === undefined) return undefined;
    return () => {
      actions.openRecord(next._id, true);
      grid.current?.showRow((row as number) + by);
    };
  };
  const close = () => {
    actions.openRecord(undefined);
    if (row !== undefined) grid.current?.focusRow(row);
  };
  return (
    <RecordPanel recordId={recordId} onPrevious={step(-1)} onNext={step(1)} onClose={close}>
      <RecordContent
        {...{ info, recordId, editing, asOf, onDelete }}
        onUndone={() => window.refresh()}
        onCopy={actions.copy}
        onFilter={actions.filterBy}
      />
    </RecordPanel>
  );
}
