import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type AnyCollection, type Collection, TcError } from '@typed-collections/client';
import { Braces, Copy, History, Link2, List, ScrollText, Trash2 } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { client } from '../../api/client.js';
import type { CollectionInfo } from '../../api/collection-query.js';
import { t } from '../../i18n/language.js';
import { Button } from '../../ui/controls/button.js';
import { EmptyState, ErrorBox, Loading } from '../../ui/states.js';
import { writtenLocale } from '../../values/written-locale.js';
import { cellText } from '../edit/model/typed-text.js';
import type { Editing } from '../edit/use-editing.js';
import { wholeText } from '../values/cell-value.js';
import type { GridRecord } from '../window/page-slot.js';
import { LongText } from './long-text.js';
import styles from './panel.module.css';
import { RecordForm } from './record-form.js';

interface RecordContentProps {
  readonly info: CollectionInfo;
  readonly recordId: string;
  /** Undefined for people who may only read. */
  readonly editing: Editing | undefined;
  /** The instant of the record; undefined for now. */
  readonly asOf: string | undefined;
  readonly onDelete: () => void;
  /** Called after a write was undone in the history of the record. */
  readonly onUndone: () => void;
  /** Copies a text, and says that it did. */
  readonly onCopy: (text: string) => void;
  readonly onFilter: (name: string, value: unknown) => void;
}

type View = 'form' | 'json' | 'history';

const RecordTimeline = lazy(() => import('../history/timeline/record-timeline.js'));

/** One record with its whole values, as a form and as JSON. */
export function RecordContent(props: RecordContentProps) {
  const { info, recordId, editing, asOf, onDelete, onUndone, onCopy, onFilter } = props;
  const [view, setView] = useState<View>('form');
  const { data, error, refetch } = useQuery(
    recordQuery(client.collection(info.collection_id), recordId, asOf),
  );
  if (error instanceof TcError && error.status === 404) {
    return (
      <>
        <EmptyState title={t('records.recordGoneTitle')}>
          {t('records.recordGoneText', { id: recordId })}
        </EmptyState>
        <Suspense fallback={<Loading lines={4} />}>
          <RecordTimeline info={info} recordId={recordId} onUndone={onUndone} />
        </Suspense>
      </>
    );
  }
  if (data === undefined) {
    return error === null ? <Loading lines={6} /> : <ErrorBox error={error} onRetry={() => void refetch()} />;
  }
  const { _etag, ...record } = data;
  const json = () => wholeText(record, 2);
  return (
    <>
      <div className={styles.actions}>
        <fieldset className={styles.views}>
          <legend className="visually-hidden">{t('records.view')}</legend>
          <Button
            aria-pressed={view === 'form'}
            icon={<List size={15} aria-hidden />}
            onClick={() => setView('form')}
          >
            {t('records.viewForm')}
          </Button>
          <Button
            aria-pressed={view === 'json'}
            icon={<Braces size={15} aria-hidden />}
            onClick={() => setView('json')}
          >
            {t('records.viewJson')}
          </Button>
          <Button
            aria-pressed={view === 'history'}
            icon={<History size={15} aria-hidden />}
            onClick={() => setView('history')}
          >
            {t('history.view')}
          </Button>
        </fieldset>
        <Button look="plain" icon={<Copy size={15} aria-hidden />} onClick={() => onCopy(json())}>
          {t('records.copyRecord')}
        </Button>
        <Button look="plain" icon={<Link2 size={15} aria-hidden />} onClick={() => onCopy(location.href)}>
          {t('records.copyLink')}
        </Button>
        {info.my_rights.includes('manage') && (
          <Link
            to="/collections/$collection/activity"
            params={{ collection: info.collection_id }}
            search={{ record: recordId }}
            className={styles.activity}
          >
            <ScrollText size={15} aria-hidden />
            {t('activity.ofRecord')}
          </Link>
        )}
        {editing !== undefined && (
          <Button look="plain" icon={<Trash2 size={15} aria-hidden />} onClick={onDelete}>
            {t('edit.delete')}
          </Button>
        )}
      </div>
      {view === 'form' && (
        <RecordForm
          key={recordId}
          record={data as GridRecord}
          schema={info.schema}
          editing={editing}
          onCopy={(name, type) => {
            const value = record[name];
            onCopy(typeof value === 'number' ? cellText(value, type, writtenLocale()) : wholeText(value));
          }}
          onFilter={name => onFilter(name, record[name])}
        />
      )}
      {view === 'json' && (
        <div className={styles.json}>
          <LongText key={recordId} text={json()} isCode fileName={`${recordId}.json`} />
        </div>
      )}
      {view === 'history' && (
        <Suspense fallback={<Loading lines={6} />}>
          <RecordTimeline key={recordId} info={info} recordId={recordId} onUndone={onUndone} />
        </Suspense>
      )}
    </>
  );
}

/** One record with its whole values, as it is or as it was at an instant. */
const recordQuery = (collection: Collection<AnyCollection>, recordId: string, asOf?: string) =>
  queryOptions({
    queryKey: ['record', collection.id, recordId, { asOf }],
    queryFn: ({ signal }) => collection.get(recordId, { asOf, signal }),
    staleTime: 0,
    // Whole values can be large.
    gcTime: 10_000,
  });
