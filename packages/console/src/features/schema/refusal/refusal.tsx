import { Link } from '@tanstack/react-router';
import { TcError } from '@typed-collections/client';
import { collectionRoute } from '../../../api/routes.js';
import { t } from '../../../i18n/language.js';
import { SimpleTable } from '../../../ui/data/simple-table.js';
import { ErrorBox } from '../../../ui/states.js';
import styles from '../schema.module.css';
import { type Duplicate, duplicatesOf, type Offender, offendersOf } from './offenders.js';

/** Why a schema or an index was refused, with the records that are in the way. */
export function Refusal({ error }: { readonly error: unknown }) {
  const details = error instanceof TcError ? error.details : undefined;
  const offenders = offendersOf(details);
  const duplicates = duplicatesOf(details);
  return (
    <div className={styles.stack}>
      <ErrorBox error={error} />
      {offenders.length > 0 && <Offenders offenders={offenders} />}
      {duplicates.length > 0 && <Duplicates duplicates={duplicates} />}
    </div>
  );
}

function Offenders({ offenders }: { readonly offenders: readonly Offender[] }) {
  const { collection } = collectionRoute.useParams();
  return (
    <SimpleTable
      label={t('schema.offenders')}
      items={offenders}
      itemKey={({ _id, column }) => `${_id} ${column}`}
      empty=""
      columns={[
        {
          title: t('schema.offender'),
          cell: ({ _id }) => (
            <Link to="/collections/$collection" params={{ collection }} search={{ record: _id }}>
              <code>{_id}</code>
            </Link>
          ),
        },
        { title: t('schema.column'), cell: ({ column }) => column },
        { title: t('schema.problem'), cell: ({ problem }) => problem },
      ]}
    />
  );
}

const MAX_CHARACTERS = 200;

function Duplicates({ duplicates }: { readonly duplicates: readonly Duplicate[] }) {
  const { collection } = collectionRoute.useParams();
  return (
    <SimpleTable
      label={t('schema.duplicates')}
      items={duplicates}
      itemKey={({ values }) => JSON.stringify(values)}
      empty=""
      columns={[
        {
          title: t('schema.values'),
          cell: ({ values }) => <code>{JSON.stringify(values).slice(0, MAX_CHARACTERS)}</code>,
        },
        {
          title: t('schema.records'),
          cell: ({ count, values }) => (
            <Link to="/collections/$collection" params={{ collection }} search={{ filter: values }}>
              {t('schema.showEqual', { count })}
            </Link>
          ),
        },
      ]}
    />
  );
}
