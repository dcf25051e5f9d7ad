import { type CollectionInfo } from '../../api/collection-query.js';
import { ChartFilterLink } from '../../features/charts/chart-filter.js';
import { Finder } from '../../features/find/finder.js';
import { language, t } from '../../i18n/language.js';
import { EditParts } from '../../records/edit/edit-parts.js';
import { NewRecordButton } from '../../records/edit/form/new-record-button.js';
import { ColumnsMenu } from '../../records/grid/columns/columns-menu.js';
import { CountButton, GridFooter, JumpField } from '../../records/grid/footer/grid-footer.js';
import { DataGrid } from '../../records/grid/table/data-grid.js';
import { PastBar, PastButton } from '../../records/history/past/past-bar.js';
import { LiveNews, LiveToggle } from '../../records/live/live-toggle.js';
import { OpenRecord } from '../../records/panel/open-record.js';
import { EmptyState, ErrorBox } from '../../ui/states.js';
import { formatInstant } from '../../values/dates.js';
import styles from './records.module.css';
import { EmptyCollection, FailureNotice, NoMatches } from './states.js';

import { type RecordsGrid, useRecordsGrid } from './use-records-grid.js';

interface PartProps {
  readonly grid: RecordsGrid;
}

/** Toolbar, grid, footer and panel of one collection. */
export function RecordsView({ info }: { readonly info: CollectionInfo }) {
  const grid = useRecordsGrid(info);
  const { collection, choice, editing, selection, showNews, window } = grid;
  return (
    <section aria-label={t('records.title')} className={styles.page}>
      <Toolbar grid={grid} />
      <Notices grid={grid} />
      <div className={styles.content}>
        <Body grid={grid} />
        <OpenedRecord grid={grid} />
      </div>
      {editing !== undefined && (
        <EditParts
          info={info}
          collection={collection}
          editing={editing}
          selection={selection}
          filter={grid.filter ?? {}}
          otherFields={choice.all.flatMap(({ name, origin }) => (origin === 'flexible' ? [name] : []))}
          refresh={() => window.refresh()}
          onShowNew={() => void showNews()}
        />
      )}
      <Footer grid={grid} />
      <div role="status" className="visually-hidden">
        {grid.message}
      </div>
    </section>
  );
}

/** The row above the grid. The finder takes the width that the others leave. */
function Toolbar({ grid }: PartProps) {
  const { info, inAddress, filter, asOf, editing, choice, live, lookBack, actions } = grid;
  return (
    <div className={styles.toolbar}>
      <div className={styles.finder}>
        <Finder />
      </div>
      <div className={styles.end}>
        {editing !== undefined && <NewRecordButton info={info} editing={editing} />}
        {grid.isFiltered && filter !== undefined && (
          <ChartFilterLink collection={inAddress} filter={filter} asOf={asOf} />
        )}
        <ColumnsMenu choice={choice} />
        <PastButton info={info} asOf={asOf} onShow={instant => lookBack(instant, false)} />
        {asOf === undefined && <LiveToggle info={info} live={live} onOpenRecord={actions.openRecord} />}
      </div>
    </div>
  );
}

/** What the page says about the records: that they are old, that there are new ones, and what failed. */
function Notices({ grid }: PartProps) {
  const { info, asOf, live, window, failure, setFailure } = grid;
  const { error } = grid.state;
  return (
    <>
      {asOf !== undefined && (
        <PastBar
          info={info}
          asOf={asOf}
          error={error}
          text={t('history.pastText', { date: formatInstant(asOf, language()) })}
          onShow={grid.lookBack}
        />
      )}
      <LiveNews count={live.news} onShow={() => void grid.showNews()} />
      {error !== undefined && <ErrorBox error={error} onRetry={() => window.retry()} />}
      {grid.isLost && <FailureNotice error={t('records.lostFilter')} onClose={grid.forgetLost} />}
      {failure !== undefined && <FailureNotice error={failure} onClose={() => setFailure(undefined)} />}
    </>
  );
}

/** The grid, or why there is nothing in it. */
function Body({ grid }: PartProps) {
  const { info, asOf, window, state, table, actions, total, editing, clipboard, selection } = grid;
  if (!grid.isEmpty) {
    return (
      <DataGrid
        window={window}
        state={state}
        table={table}
        actions={actions}
        total={total}
        editing={editing}
        clipboard={clipboard}
        selection={editing && selection}
        onFailure={grid.setFailure}
        label={gridName(info.name, asOf)}
        openRecord={grid.openId}
        handle={grid.handle}
      />
    );
  }
  return (
    <div className={styles.empty}>
      {grid.isFiltered ? (
        <NoMatches onClear={grid.clearFilter} />
      ) : asOf !== undefined ? (
        <EmptyState title={t('history.nothingThen')} />
      ) : (
        <EmptyCollection info={info} staged={editing?.state.rows.size ?? 0} paste={clipboard.pasteRows} />
      )}
    </div>
  );
}

function OpenedRecord({ grid }: PartProps) {
  const { info, editing, window, actions, handle, asOf, openId, selection } = grid;
  if (openId === undefined) return null;
  return (
    <OpenRecord
      info={info}
      editing={editing}
      window={window}
      actions={actions}
      grid={handle}
      asOf={asOf}
      recordId={openId}
      onDelete={() => selection.askToDelete([openId])}
    />
  );
}

function Footer({ grid }: PartProps) {
  const { window, state, total, actions, collection, filter, asOf, list, sortColumn } = grid;
  return (
    <GridFooter
      state={state}
      total={total}
      onFirst={() => void actions.goTo('first')}
      onLast={() => void actions.goTo('last')}
      onRefresh={grid.refresh}
      count={
        <CountButton
          key={list}
          total={total}
          count={signal => collection.find(filter, { asOf, signal }).count()}
          onCounted={grid.setTotal}
        />
      }
      jump={
        sortColumn !== undefined && (
          <JumpField key={sortColumn.name} column={sortColumn} onJump={value => window.jump({ at: value })} />
        )
      }
    />
  );
}

/** What screen readers call the grid. */
function gridName(name: string, asOf: string | undefined): string {
  const grid = t('records.gridOf', { name });
  return asOf === undefined ? grid : t('history.gridThen', { grid, date: formatInstant(asOf, language()) });
}
