import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api } from '../../../api/client.js';
import type { CollectionInfo } from '../../../api/collection-query.js';
import { featuresQuery } from '../../../api/session.js';
import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import { NumberField } from '../../../ui/controls/number-field.js';
import { ErrorBox } from '../../../ui/states/error-box.js';
import styles from '../import.module.css';
import { raisedLimit } from './raised-limit.js';
import type { RunState } from './use-import-run.js';

interface RaiseLimitProps {
  readonly info: CollectionInfo;
  readonly state: RunState;
  /** False: the import ends here. */
  readonly onAnswer: (isRaised: boolean) => void;
}

/** The collection takes no more records. Who may manage it lets it take more, and the import goes on. */
export function RaiseLimit({ info, state, onAnswer }: RaiseLimitProps) {
  const { data: features } = useQuery(featuresQuery);
  const max = info.settings.max_records;
  const highest = features?.max_records_limit ?? max;
  const [wanted, setWanted] = useState<string>();
  const value = wanted ?? String(raisedLimit(max, state.progress, state.job.totalBytes, highest));
  const queries = useQueryClient();
  const raise = useMutation({
    mutationFn: () =>
      api.collections.updateCollection({
        collection_id: info.collection_id,
        settings: { max_records: Number(value) },
      }),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ['collection'] });
      onAnswer(true);
    },
  });
  const mayRaise = info.my_rights.includes('manage') && highest > max;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    raise.mutate();
  };
  return (
    <form className={styles.full} onSubmit={submit}>
      <p role="alert">{t('import.full', { max })}</p>
      {mayRaise && (
        <NumberField
          label={t('import.raiseTo')}
          hint={t('import.raiseHint', { highest })}
          min={max + 1}
          max={highest}
          value={value}
          onChange={setWanted}
        />
      )}
      {!mayRaise && <p>{t('import.fullReader')}</p>}
      <div className={styles.actions}>
        <Button onClick={() => onAnswer(false)}>{t('import.endHere')}</Button>
        {mayRaise && (
          <Button type="submit" look="primary" disabled={raise.isPending}>
            {t('import.raise')}
          </Button>
        )}
      </div>
      {raise.error !== null && <ErrorBox error={raise.error} />}
    </form>
  );
}
