import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { AlreadyExistsError } from '@typed-collections/client';
import { type FormEvent, useState } from 'react';
import { api } from '../../../api/client.js';
import { type CollectionInfo, collectionQuery } from '../../../api/collection-query.js';
import { collectionRoute } from '../../../api/routes.js';
import { featuresQuery } from '../../../api/session.js';
import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import { CollectionNameField } from '../../../ui/controls/collection-name-field.js';
import { NumberField, TextAreaField } from '../../../ui/controls/field.js';
import { Section } from '../../../ui/data/section.js';
import { ErrorBox } from '../../../ui/states.js';
import styles from '../schema.module.css';
import { refreshCollection } from '../use-schema.js';
import { changedDetails, type Details, detailsOf } from './details.js';

interface DetailsSectionProps {
  readonly info: CollectionInfo;
  readonly mayChange: boolean;
}

/** Name, description and settings of the collection. */
export function DetailsSection({ info, mayChange }: DetailsSectionProps) {
  return (
    <Section title={t('schema.details')}>
      {mayChange ? <DetailsForm info={info} /> : <DetailsList info={info} />}
    </Section>
  );
}

function DetailsList({ info: { description, settings } }: { readonly info: CollectionInfo }) {
  return (
    <dl className={styles.list}>
      <dt>{t('collections.description')}</dt>
      <dd>{description ?? '–'}</dd>
      <dt>{t('schema.maxRecords')}</dt>
      <dd>{t('schema.number', { count: settings.max_records })}</dd>
      <dt>{t('schema.ttl')}</dt>
      <dd>
        {settings.ttl_days === 0 ? t('schema.forEver') : t('schema.days', { count: settings.ttl_days })}
      </dd>
      <dt>{t('schema.history')}</dt>
      <dd>
        {settings.history_days === 0
          ? t('schema.noHistory')
          : t('schema.days', { count: settings.history_days })}
      </dd>
    </dl>
  );
}

function DetailsForm({ info }: { readonly info: CollectionInfo }) {
  const [details, setDetails] = useState(detailsOf(info));
  const { data: features } = useQuery(featuresQuery);
  const save = useSave(info);
  const change = (part: Partial<Details>) => {
    save.reset();
    setDetails({ ...details, ...part });
  };
  const changed = changedDetails(info, details);
  const isTaken = save.error instanceof AlreadyExistsError;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (changed !== undefined) save.mutate(changed);
  };
  return (
    <form className={styles.stack} onSubmit={submit}>
      {info.my_role === 'owner' && (
        <CollectionNameField
          label={t('schema.collectionName')}
          hint={t('schema.collectionNameHint')}
          isTaken={isTaken}
          value={details.name}
          onChange={name => change({ name })}
        />
      )}
      <TextAreaField
        label={t('collections.description')}
        maxLength={4000}
        value={details.description}
        onChange={next => change({ description: next })}
      />
      <div className={styles.pair}>
        <NumberField
          label={t('schema.maxRecords')}
          hint={t('schema.maxRecordsHint')}
          min={1}
          max={features?.max_records_limit}
          value={details.maxRecords}
          onChange={maxRecords => change({ maxRecords })}
        />
        <NumberField
          label={t('schema.ttl')}
          hint={t('schema.ttlHint')}
          min={0}
          max={3650}
          value={details.ttlDays}
          onChange={ttlDays => change({ ttlDays })}
        />
        <NumberField
          label={t('schema.history')}
          hint={t('schema.historyHint')}
          min={0}
          max={3650}
          value={details.historyDays}
          onChange={historyDays => change({ historyDays })}
        />
        {details.historyDays === '0' && info.settings.history_days > 0 && (
          <p role="alert" className={styles.warning}>
            {t('schema.historyEnds')}
          </p>
        )}
      </div>
      <div className={styles.actions}>
        <Button type="submit" look="primary" disabled={changed === undefined || save.isPending}>
          {t('common.save')}
        </Button>
        <span role="status" className={styles.good}>
          {save.isSuccess && t('schema.saved')}
        </span>
      </div>
      {save.error !== null && !isTaken && <ErrorBox error={save.error} />}
    </form>
  );
}

/** Saves what changed. After a rename the page has the address of the new name, if it had that of the old one. */
function useSave({ collection_id, name }: CollectionInfo) {
  const { collection } = collectionRoute.useParams();
  const navigate = useNavigate();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (changed: NonNullable<ReturnType<typeof changedDetails>>) =>
      api.collections.updateCollection({ collection_id, ...changed }),
    onSuccess: async saved => {
      if (collection === name && saved.name !== name) {
        queries.setQueryData(collectionQuery(saved.name).queryKey, saved);
        await navigate({
          to: '/collections/$collection/schema',
          params: { collection: saved.name },
          replace: true,
        });
      }
      await refreshCollection(queries, collection === name ? saved.name : collection);
    },
  });
}
