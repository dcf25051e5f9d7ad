import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import { type CollectionInfo, collectionQuery } from '../../api/collection-query.js';
import { chartsRoute } from '../../api/routes.js';
import { language, t } from '../../i18n/language.js';
import { PastBar, PastButton } from '../../records/history/past/past-bar.js';
import { Button } from '../../ui/controls/button.js';
import { Dialog } from '../../ui/overlays/dialog.js';
import { ErrorBox, Loading } from '../../ui/states.js';
import { formatInstant } from '../../values/dates.js';
import { ChartFigures } from './chart-figures.js';
import styles from './charts.module.css';
import { ChartsConflict, chartsQuery, type SavedCharts, useSaveCharts } from './charts-data.js';
import { ChartsList } from './charts-list.js';
import { ChartEditor } from './editor/chart-editor.js';
import { type ChartsChange, differences, withChart } from './model/changed-charts.js';
import { type Chart, chartOf, isEditable, newChartId } from './model/chart.js';
import { chartFrom, NEW_DRAFT, SYSTEM_TYPES } from './model/draft.js';
import type { ChartsSearch } from './search.js';

/** The charts of one collection, or the editor of one of them. */
export function ChartsPage() {
  const { collection } = chartsRoute.useParams();
  const info = useQuery(collectionQuery(collection));
  const saved = useQuery(chartsQuery(collection));
  if (info.data !== undefined && saved.data !== undefined) {
    return <ChartsOf collection={collection} info={info.data} saved={saved.data} />;
  }
  const failed = info.error === null ? saved : info;
  if (failed.error === null) return <Loading lines={8} />;
  return <ErrorBox error={failed.error} onRetry={() => void failed.refetch()} />;
}

interface ChartsOfProps {
  readonly collection: string;
  readonly info: CollectionInfo;
  readonly saved: SavedCharts;
}

/** The list of charts or the editor, whichever the address says, and what becomes of saving. */
function ChartsOf({ collection, info, saved }: ChartsOfProps) {
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
            info={info}
            asOf={asOf}
            text={t('history.pastFigures', { date: formatInstant(asOf, language()) })}
            error={undefined}
            onShow={lookBack}
          />
        </div>
      )}
      {shown === undefined ? (
        <ChartsList
          collection={collection}
          saved={saved}
          columns={columns}
          open={open}
          store={store}
          mayWrite={mayWrite}
          error={conflict === undefined ? save.error : null}
          onNew={() => open(startOf(undefined))}
          past={<PastButton info={info} asOf={asOf} onShow={instant => lookBack(instant, false)} />}
        />
      ) : isEditable(shown) ? (
        <ChartEditor
          key={shown.id}
          collection={collection}
          types={types}
          chart={shown}
          onChange={onChange}
          onClose={close}
          isNew={!saved.charts.some(each => chartOf(each)?.id === shown.id)}
          onSave={mayWrite ? chart => store(withChart(chart), base ?? saved, close) : undefined}
          isSaving={save.isPending}
          error={conflict === undefined ? save.error : null}
        />
      ) : (
        <SharedChart collection={collection} chart={shown} onClose={close} />
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

interface ConflictDialogProps {
  readonly conflict: ChartsConflict;
  /** Takes the charts as somebody else saved them, without the change made here. */
  readonly onTheirs: () => void;
  /** Makes the change again on the charts as somebody else saved them. */
  readonly onMine: () => void;
}

/** Two people saved charts at once: what the other one changed, and what would be changed on top of it. */
function ConflictDialog({ conflict, onTheirs, onMine }: ConflictDialogProps) {
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

interface SharedChartProps {
  readonly collection: string;
  readonly chart: Chart;
  readonly onClose: () => void;
}

/** A chart of a link that has more than the editor can show, for example several figures. */
function SharedChart({ collection, chart, onClose }: SharedChartProps) {
  return (
    <section className={styles.page}>
      <div className={styles.card}>
        <h2>{chart.title}</h2>
        <ChartFigures collection={collection} chart={chart} asTable={false} />
      </div>
      <div className={styles.buttons}>
        <Button onClick={onClose}>{t('common.close')}</Button>
      </div>
    </section>
  );
}
