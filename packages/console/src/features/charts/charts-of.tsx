import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import type { CollectionInfo } from '../../api/collection-query.js';
import { language, t } from '../../i18n/language.js';
import { PastBar } from '../../records/history/past/past-bar.js';
import { PastButton } from '../../records/history/past/past-button.js';
import { formatInstant } from '../../values/instant.js';
import styles from './charts.module.css';
import { ChartsConflict, chartsQuery, type SavedCharts, useSaveCharts } from './charts-data.js';
import { ChartsList } from './charts-list.js';
import { ConflictDialog } from './conflict-dialog.js';
import { ChartEditor } from './editor/chart-editor.js';
import { type ChartsChange, withChart } from './model/changed-charts.js';
import { type Chart, chartOf, isEditable, newChartId } from './model/chart.js';
import { chartFrom, NEW_DRAFT, SYSTEM_TYPES } from './model/draft.js';
import { chartsRoute } from './route.js';
import type { ChartsSearch } from './search.js';
import { SharedChart } from './shared-chart.js';

interface ChartsOfProps {
  readonly collection: string;
  readonly info: CollectionInfo;
  readonly saved: SavedCharts;
}

/** The list of charts or the editor, whichever the address says, and what becomes of saving. */
export function ChartsOf({ collection, info, saved }: ChartsOfProps) {
  const queries = useQueryClient();
  const navigate = chartsRoute.useNavigate();
  const { draft, filter, as_of: asOf } = chartsRoute.useSearch();
  const save = useSaveCharts(collection);
  // The charts as they were when the editor opened: what somebody else saved meanwhile is a conflict.
  const [base, setBase] = useState<SavedCharts>();
  const mayWrite = info.my_rights.includes('write');
  const columns = useMemo(
    () => Object.fromEntries(Object.entries(info.schema).map(([name, { type }]) => [name, type])),
    [info.schema],
  );
  const types = useMemo(() => ({ ...columns, ...SYSTEM_TYPES }), [columns]);
  const open = (chart: Chart) => {
    setBase(saved);
    save.reset();
    void navigate({ search: before => at(before, { draft: chart }) });
  };
  const close = () => {
    setBase(undefined);
    void navigate({ search: before => at(before, {}) });
  };
  const lookBack = (instant: string | undefined, replace: boolean) =>
    void navigate({ search: before => ({ ...before, as_of: instant }), replace });
  const onChange = useCallback(
    (chart: Chart) => void navigate({ search: before => at(before, { draft: chart }), replace: true }),
    [navigate],
  );
  const store = (change: ChartsChange, from: SavedCharts = saved, then?: () => void) =>
    save.mutate({ base: from, change }, { ...(then && { onSuccess: then }) });
  const startOf = (chosen: typeof filter) => chartFrom({ ...NEW_DRAFT, filter: chosen }, types, newChartId());
  const edited = draft ?? (filter === undefined ? undefined : startOf(filter));
  const [first] = useState(edited);
  const shown = draft ?? (filter === undefined ? undefined : first);
  const conflict = save.error instanceof ChartsConflict ? save.error : undefined;
  return (
    <>
      {asOf !== undefined && (
        <div className={styles.past}>
          <PastBar
            {...{ info, asOf }}
            text={t('history.pastFigures', { date: formatInstant(asOf, language()) })}
            error={undefined}
            onShow={lookBack}
          />
        </div>
      )}
      {shown === undefined ? (
        <ChartsList
          {...{ collection, saved, columns, types, open, store, mayWrite }}
          error={conflict === undefined ? save.error : null}
          onNew={() => open(startOf(undefined))}
          past={<PastButton info={info} asOf={asOf} onShow={instant => lookBack(instant, false)} />}
        />
      ) : isEditable(shown) ? (
        <ChartEditor
          key={shown.id}
          {...{ collection, types, chart: shown, onChange, onClose: close }}
          isNew={!saved.charts.some(each => chartOf(each)?.id === shown.id)}
          onSave={mayWrite ? chart => store(withChart(chart), base ?? saved, close) : undefined}
          isSaving={save.isPending}
          error={conflict === undefined ? save.error : null}
        />
      ) : (
        <SharedChart {...{ collection, types, chart: shown, onClose: close }} />
      )}
      {conflict !== undefined && (
        <ConflictDialog
          conflict={conflict}
          onTheirs={() => {
            queries.setQueryData(chartsQuery(collection).queryKey, conflict.theirs);
            setBase(conflict.theirs);
            save.reset();
          }}
          onMine={() => store(conflict.change, conflict.theirs, close)}
        />
      )}
      <p role="status" className="visually-hidden">
        {save.isSuccess ? t('charts.saved') : ''}
      </p>
    </>
  );
}

/** An address of the same instant. */
function at({ as_of: asOf }: ChartsSearch, search: ChartsSearch): ChartsSearch {
  return asOf === undefined ? search : { ...search, as_of: asOf };
}
