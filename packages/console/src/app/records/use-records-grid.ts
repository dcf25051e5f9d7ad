import { useQueryClient } from '@tanstack/react-query';
import { TcError } from '@typed-collections/client';
import { useEffect, useMemo, useRef, useState } from 'react';
import { client } from '../../api/client.js';
import { type CollectionInfo, collectionQuery } from '../../api/collection-query.js';
import { recordsRoute } from '../../api/routes.js';
import { useClipboard } from '../../records/edit/clipboard/use-clipboard.js';
import { useSelection } from '../../records/edit/select/use-selection.js';
import { useEditing } from '../../records/edit/use-editing.js';
import { hiddenFields } from '../../records/grid/columns/columns.js';
import { sortFields, sortQuery } from '../../records/grid/columns/sort.js';
import { useColumnChoice } from '../../records/grid/columns/use-column-choice.js';
import { useColumnTable } from '../../records/grid/columns/use-column-table.js';
import { type GridHandle } from '../../records/grid/table/data-grid.js';
import { CHOOSING_GUTTER_WIDTH, GUTTER_WIDTH } from '../../records/grid/table/sizes.js';
import { useGridActions } from '../../records/grid/use-grid-actions.js';
import { useGridLive } from '../../records/grid/use-grid-live.js';
import { pageLoader } from '../../records/window/load-page.js';
import { useOpenList, useRecordWindow } from '../../records/window/use-record-window.js';

/** Everything that the page of the records of one collection shows and does. */
export function useRecordsGrid(info: CollectionInfo) {
  const { collection: inAddress } = recordsRoute.useParams();
  const { filter, sort, record: openId, as_of: asOf, lost_filter: isLost = false } = recordsRoute.useSearch();
  const navigate = recordsRoute.useNavigate();
  const queries = useQueryClient();
  const { collection_id: id, schema } = info;
  const collection = useMemo(() => client.collection(id), [id]);
  const { window, state } = useRecordWindow();
  const choice = useColumnChoice(schema, state.fields);
  const isPast = asOf !== undefined;
  const mayWrite = info.my_rights.includes('write') && !isPast;
  const table = useColumnTable(id, choice.shown, mayWrite ? CHOOSING_GUTTER_WIDTH : GUTTER_WIDTH);
  const handle = useRef<GridHandle>(null);
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
    grid: handle,
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

  const [sorted, ...others] = sortFields(sort);
  const sortColumn = choice.all.find(column => column.name === sorted?.name && others.length === 0);
  const isFiltered = filter !== undefined && Object.keys(filter).length > 0;
  const isEmpty =
    !state.isOpening && error === undefined && state.first === state.end && state.atStart && state.atEnd;
  return {
    info,
    inAddress,
    collection,
    filter,
    asOf,
    openId,
    list,
    window,
    state,
    choice,
    table,
    actions,
    editing,
    selection,
    clipboard,
    live,
    showNews,
    lookBack,
    handle,
    total,
    setTotal: (found: number) => setCounted({ list, total: found }),
    message,
    failure,
    setFailure,
    isLost,
    forgetLost: () => void navigate({ search: ({ lost_filter: _, ...before }) => before }),
    isFiltered,
    clearFilter: () => void navigate({ search: ({ filter: _, view: __, ...before }) => before }),
    isEmpty,
    sortColumn,
    refresh: () => {
      void queries.invalidateQueries(collectionQuery(inAddress));
      window.refresh();
    },
  };
}

export type RecordsGrid = ReturnType<typeof useRecordsGrid>;
