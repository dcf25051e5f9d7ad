import { t } from '../../../i18n/language.js';
import { Code } from '../../../ui/controls/code.js';
import { EmptyState } from '../../../ui/states/empty-state.js';
import type { CollectionInfo } from '../../collection-query.js';
import { insertExamples, sampleRecord } from './sample-record.js';
import styles from './states.module.css';

const WAYS = [
  ['curl', 'curl'],
  ['typescript', 'TypeScript'],
  ['cli', 'tcol'],
] as const;

/** A collection without records shows how to insert the first one. */
export function EmptyCollection({ info }: { readonly info: CollectionInfo }) {
  const mayWrite = info.my_rights.includes('write');
  return (
    <EmptyState title={t('records.emptyTitle')}>
      <p>{t(mayWrite ? 'records.emptyText' : 'records.emptyTextReader')}</p>
      {mayWrite && <Examples info={info} />}
    </EmptyState>
  );
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
