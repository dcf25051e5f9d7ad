import { useQueryClient } from '@tanstack/react-query';
import { TcError } from '@typed-collections/client';
import { useEffect, useMemo, useRef, useState } from 'react';
import { client } from '../../api/client.js';
import { type CollectionInfo, collectionQuery } from '../../api/collection-query.js';
import { recordsRoute } from '../../api/routes.js';
import { ChartFilterLink } from '../../features/charts/chart-filter.js';
import { Finder } from '../../features/find/finder.js';
import { language, t } from '../../i18n/language.js';
import { useClipboard } from '../../records/edit/clipboard/use-clipboard.js';
import { EditParts } from '../../records/edit/edit-parts.js';
import { NewRecordButton } from '../../records/edit/form/new-record-button.js';
import { useSelection } from '../../records/edit/select/use-selection.js';
import { useEditing } from '../../records/edit/use-editing.js';
import { hiddenFields } from '../../records/grid/columns/columns.js';
import { ColumnsMenu } from '../../records/grid/columns/columns-menu.js';
import { sortFields, sortQuery } from '../../records/grid/columns/sort.js';
import { useColumnChoice } from '../../records/grid/columns/use-column-choice.js';
import { useColumnTable } from '../../records/grid/columns/use-column-table.js';
import { CountButton, GridFooter, JumpField } from '../../records/grid/footer/grid-footer.js';
import { DataGrid, type GridHandle } from '../../records/grid/table/data-grid.js';
import { CHOOSING_GUTTER_WIDTH, GUTTER_WIDTH } from '../../records/grid/table/sizes.js';
import { useGridActions } from '../../records/grid/use-grid-actions.js';
import { useGridLive } from '../../records/grid/use-grid-live.js';
import { PastBar, PastButton } from '../../records/history/past/past-bar.js';
import { LiveNews, LiveToggle } from '../../records/live/live-toggle.js';
import { OpenRecord } from '../../records/panel/open-record.js';
import { pageLoader } from '../../records/window/load-page.js';
import { useOpenList, useRecordWindow } from '../../records/window/use-record-window.js';
import { EmptyState, ErrorBox } from '../../ui/states.js';
import { formatInstant } from '../../values/dates.js';
import styles from './records.module.css';
import { EmptyCollection, FailureNotice, NoMatches } from './states.js';
import { RecordsToolbar } from './toolbar/records-toolbar.js';

/** Toolbar, grid, footer and panel of one collection. */
export function RecordsView({ info }: { readonly info: CollectionInfo }) {
  const { collection: inAddress } = recordsRoute.useParams();
  const { filter, sort, record: openId, as_of: asOf, lost_filter: isLost } = recordsRoute.useSearch();
  const navigate = recordsRoute.useNavigate();
  const queries = useQueryClient();
  const { collection_id: id, schema, name } = info;
  const collection = useMemo(() => client.collection(id), [id]);
  const { window, state } = useRecordWindow();
  const choice = useColumnChoice(schema, state.fields);
  const isPast = asOf !== undefined;
  const mayWrite = info.my_rights.includes('write') && !isPast;
  const table = useColumnTable(id, choice.shown, mayWrite ? CHOOSING_GUTTER_WIDTH : GUTTER_WIDTH);
  const grid = useRef<GridHandle>(null);
  const [message, announce] = useState('');
  const [failure, setFailure] = useState<unknown>();

  // Objects of the address are new after each navigation; their text is not.
  const list = JSON.stringify([id, filter, sort, schema, asOf]);
  const hidden = hiddenFields(choice.all, choice.shown);
  const fields = JSON.stringify(hidden);
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  const load = useMemo(
    () =>
      pageLoader(collection, {
        filter,
        sort: sortQuery(sort),
        fields: fields === undefined ? undefined : JSON.parse(fields),
        asOf,
      }),
    [list, fields],
  );
  useOpenList(window, list, load);
  const { live, reread } = useGridLive({
    collection,
    window,
    list,
    filter,
    collectionId: id,
    fields: hidden,
    isPaused: isPast,
  });
  const onWritten = async (ids: readonly string[]) => {
    // The first record of a list is not beside any that the window has.
    const { first, end } = window.getState();
    if (first === end) window.refresh();
    else await reread(ids);
  };
  const editable = useEditing({ info, collection, onWritten });
  const editing = mayWrite ? editable : undefined;

  const selection = useSelection(window, list);

  const [counted, setCounted] = useState<{ readonly list: string; readonly total: number }>();
  const total = counted?.list === list ? counted.total : undefined;
  const actions = useGridActions({
    collection,
    window,
    choice,
    table,
    grid,
    announce,
    onFailure: setFailure,
  });

  const clipboard = useClipboard({
    collection,
    window,
    editing,
    asOf,
    announce,
    columns: table.columns,
    copy: actions.copy,
    onFailure: setFailure,
    onLeftOut: setFailure,
  });

  // The schema may have changed, or the collection may be gone.
  const { error } = state;
  useEffect(() => {
    if (error instanceof TcError && error.status >= 400 && error.status < 500) {
      void queries.invalidateQueries(collectionQuery(inAddress));
    }
  }, [error, queries, inAddress]);

  /** In the order of insertion, new records are at the end. */
  const showNews = async () => {
    live.forgetNews();
    if (sort === undefined && !isEmpty) await actions.goToEnd();
    else window.refresh();
  };
  const lookBack = (instant: string | undefined, replace: boolean) =>
    void navigate({ search: before => ({ ...before, as_of: instant }), replace });
  const clearFilter = () => void navigate({ search: ({ filter: _, view: __, ...before }) => before });

  const [sorted, ...others] = sortFields(sort);
  const sortColumn = choice.all.find(column => column.name === sorted?.name && others.length === 0);
  const isFiltered = filter !== undefined && Object.keys(filter).length > 0;
  const isEmpty =
    !state.isOpening && error === undefined && state.first === state.end && state.atStart && state.atEnd;
  return (
    <section aria-label={t('records.title')} className={styles.page}>
      <RecordsToolbar
        finder={<Finder />}
        columns={
          <>
            {editing !== undefined && <NewRecordButton info={info} editing={editing} />}
            {isFiltered && <ChartFilterLink collection={inAddress} filter={filter} asOf={asOf} />}
            <ColumnsMenu choice={choice} />
            <PastButton info={info} asOf={asOf} onShow={instant => lookBack(instant, false)} />
          </>
        }
        live={!isPast && <LiveToggle info={info} live={live} onOpenRecord={actions.openRecord} />}
      />
      {isPast && (
        <PastBar
          info={info}
          asOf={asOf}
          error={error}
          text={t('history.pastText', { date: formatInstant(asOf, language()) })}
          onShow={lookBack}
        />
      )}
      <LiveNews count={live.news} onShow={() => void showNews()} />
      {error !== undefined && <ErrorBox error={error} onRetry={() => window.retry()} />}
      {isLost && (
        <FailureNotice
          error={t('records.lostFilter')}
          onClose={() => void navigate({ search: ({ lost_filter: _, ...before }) => before })}
        />
      )}
      {failure !== undefined && <FailureNotice error={failure} onClose={() => setFailure(undefined)} />}
      <div className={styles.content}>
        {isEmpty ? (
          <div className={styles.empty}>
            {isFiltered ? (
              <NoMatches onClear={clearFilter} />
            ) : isPast ? (
              <EmptyState title={t('history.nothingThen')} />
            ) : (
              <EmptyCollection
                info={info}
                staged={editing?.state.rows.size ?? 0}
                paste={clipboard.pasteRows}
              />
            )}
          </div>
        ) : (
          <DataGrid
            window={window}
            state={state}
            table={table}
            actions={actions}
            total={total}
            editing={editing}
            clipboard={clipboard}
            selection={editing && selection}
            onFailure={setFailure}
            label={gridName(name, asOf)}
            openRecord={openId}
            handle={grid}
          />
        )}
        {openId !== undefined && (
          <OpenRecord
            info={info}
            editing={editing}
            window={window}
            actions={actions}
            grid={grid}
            asOf={asOf}
            recordId={openId}
            onDelete={() => selection.askToDelete([openId])}
          />
        )}
      </div>
      {editing !== undefined && (
        <EditParts
          info={info}
          collection={collection}
          editing={editing}
          selection={selection}
          filter={filter ?? {}}
          otherFields={choice.all.flatMap(({ name, origin }) => (origin === 'flexible' ? [name] : []))}
          refresh={() => window.refresh()}
          onShowNew={() => void showNews()}
        />
      )}
      <GridFooter
        state={state}
        total={total}
        onFirst={() => void actions.goTo('first')}
        onLast={() => void actions.goTo('last')}
        onRefresh={() => {
          void queries.invalidateQueries(collectionQuery(inAddress));
          window.refresh();
        }}
        count={
          <CountButton
            key={list}
            total={total}
            count={signal => collection.find(filter, { asOf, signal }).count()}
            onCounted={found => setCounted({ list, total: found })}
          />
        }
        jump={
          sortColumn !== undefined && (
            <JumpField
              key={sortColumn.name}
              column={sortColumn}
              onJump={value => window.jump({ at: value })}
            />
          )
        }
      />
      <div role="status" className="visually-hidden">
        {message}
      </div>
    </section>
  );
}

/** What screen readers call the grid. */
function gridName(name: string, asOf: string | undefined): string {
  const grid = t('records.gridOf', { name });
  return asOf === undefined ? grid : t('history.gridThen', { grid, date: formatInstant(asOf, language()) });
}
