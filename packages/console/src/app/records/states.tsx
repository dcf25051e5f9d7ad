import { X } from 'lucide-react';
import { useEffect } from 'react';
import type { CollectionInfo } from '../../api/collection-query.js';
import { t } from '../../i18n/language.js';
import { Button, IconButton } from '../../ui/controls/button.js';
import { Code } from '../../ui/controls/code.js';
import { EmptyState, ErrorBox } from '../../ui/states.js';
import { insertExamples, sampleRecord } from './states/sample-record.js';
import styles from './states/states.module.css';

const WAYS = [
  ['curl', 'curl'],
  ['typescript', 'TypeScript'],
  ['cli', 'tcol'],
] as const;

interface EmptyCollectionProps {
  readonly info: CollectionInfo;
  /** New records that are not saved yet. */
  readonly staged: number;
  /** Pastes rows of a spreadsheet. False if it pastes nothing. */
  readonly paste: (text: string) => boolean;
}

/** A collection without records shows how to insert the first ones, and takes rows that are pasted. */
export function EmptyCollection({ info, staged, paste }: EmptyCollectionProps) {
  const mayWrite = info.my_rights.includes('write');
  usePaste(paste);
  if (staged > 0) {
    return (
      <EmptyState title={t('records.emptyStagedTitle', { count: staged })}>
        {t('records.emptyStagedText')}
      </EmptyState>
    );
  }
  return (
    <EmptyState title={t('records.emptyTitle')}>
      {info.my_access.restricted && <p>{t('records.emptyRestricted')}</p>}
      <p>{t(mayWrite ? 'records.emptyText' : 'records.emptyTextReader')}</p>
      {mayWrite && <Examples info={info} />}
    </EmptyState>
  );
}

/** There is no grid that could have the focus: what is pasted anywhere in the page is meant, except in fields. */
function usePaste(paste: (text: string) => boolean): void {
  useEffect(() => {
    const onPaste = (event: ClipboardEvent) => {
      const isElsewhere = (event.target as Element).closest(
        'input, textarea, [contenteditable], [role=dialog]',
      );
      if (isElsewhere === null && paste(event.clipboardData?.getData('text/plain') ?? '')) {
        event.preventDefault();
      }
    };
    window.addEventListener('paste', onPaste);
    return () => window.removeEventListener('paste', onPaste);
  });
}

function Examples({ info }: { readonly info: CollectionInfo }) {
  const examples = insertExamples(location.origin, info.name, sampleRecord(info.schema));
  return (
    <div className={styles.examples}>
      {WAYS.map(([way, label]) => (
        <section key={way} aria-label={label}>
          <h3>{label}</h3>
          <Code text={examples[way]} label={t('records.example', { way: label })} />
        </section>
      ))}
    </div>
  );
}

/** No record matches the filter. */
export function NoMatches({ onClear }: { readonly onClear: () => void }) {
  return (
    <EmptyState
      title={t('records.noMatchesTitle')}
      actions={
        <Button look="primary" onClick={onClear}>
          {t('records.clearFilter')}
        </Button>
      }
    >
      {t('records.noMatchesText')}
    </EmptyState>
  );
}

interface FailureNoticeProps {
  /** What was thrown, or a text that tells of a part that could not be done. */
  readonly error: unknown;
  readonly onClose: () => void;
}

/** Why something that was asked for failed, until it is closed. */
export function FailureNotice({ error, onClose }: FailureNoticeProps) {
  return (
    <div className={styles.failure}>
      {typeof error === 'string' ? <p role="alert">{error}</p> : <ErrorBox error={error} />}
      <IconButton label={t('common.close')} icon={<X size={16} aria-hidden />} onClick={onClose} />
    </div>
  );
}
