import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { language, t } from '../../../i18n/language.js';
import { Code } from '../../../ui/controls/code.js';
import { formatInstant } from '../../../values/instant.js';
import { ShortValue } from '../../edit/review/short-value.js';
import { recordsRoute } from '../../grid/route.js';
import { differencesOf } from './differences.js';
import type { RecordVersion } from './queries.js';
import styles from './timeline.module.css';

/** Number of changed fields that are shown. The record below shows all. */
const MOST_FIELDS = 30;

interface VersionItemProps {
  readonly version: RecordVersion;
  /** The version before; undefined if it is not kept any more. */
  readonly older: RecordVersion | undefined;
  /** Undefined if nobody knows who wrote it. */
  readonly who: string | undefined;
  /** The button that undoes the write, for those who may. */
  readonly undo: ReactNode;
}

/** One version of a record: when, what, who, and the fields that changed with their values before and after. */
export function VersionItem({ version, older, who, undo }: VersionItemProps) {
  const { valid_from: from, operation, record, actor } = version;
  const differences = differencesOf(version, older);
  const { collection } = recordsRoute.useParams();
  const search = recordsRoute.useSearch();
  const left = differences.length - MOST_FIELDS;
  return (
    <li className={styles.version}>
      <h3 className={styles.head}>
        <span>{t(`history.did_${operation}`)}</span>{' '}
        <time dateTime={from} className={styles.quiet}>
          {formatInstant(from, language())}
        </time>
      </h3>
      <p className={styles.quiet}>
        {who === undefined
          ? t('history.byUnknown')
          : t('history.by', { who, via: actor === null ? '' : t(`activity.via_${actor.via}`) })}
      </p>
      {record === null ? (
        <p>{t('history.gone')}</p>
      ) : (
        <dl className={styles.fields}>
          {differences.slice(0, MOST_FIELDS).map(({ field, before, after }) => (
            <div key={field} className={styles.field}>
              <dt>{field}</dt>
              <dd>
                {before !== undefined && operation !== 'inserted' && (
                  <>
                    <del className={styles.before}>
                      <ShortValue value={before.value} />
                    </del>
                    <span aria-hidden> → </span>
                  </>
                )}
                <ins className={styles.after}>
                  <ShortValue value={after} />
                </ins>
              </dd>
            </div>
          ))}
        </dl>
      )}
      {left > 0 && <p>{t('history.moreFields', { count: left })}</p>}
      <div className={styles.actions}>
        {record !== null && (
          <Whole record={record} label={t('history.wholeOf', { version: version.version })} />
        )}
        <Link
          to="/collections/$collection"
          params={{ collection }}
          search={{ ...search, as_of: from }}
          className={styles.link}
          title={t('history.showAllThen')}
        >
          {t('history.allThen')}
        </Link>
        {undo}
      </div>
    </li>
  );
}

/** The record as it was. It is drawn when it is opened. */
function Whole({ record, label }: { readonly record: object; readonly label: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className={styles.whole} onToggle={event => setOpen(event.currentTarget.open)}>
      <summary>{t('history.whole')}</summary>
      {isOpen && <Code text={JSON.stringify(record, null, 2)} label={label} />}
    </details>
  );
}
