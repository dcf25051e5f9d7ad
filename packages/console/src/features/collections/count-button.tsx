import { useQuery } from '@tanstack/react-query';
import { client } from '../../api/client.js';
import { t } from '../../i18n/language.js';
import { Button } from '../../ui/controls/button.js';
import { titleOf } from '../../ui/states/error-box.js';
import styles from './collections.module.css';

/** Counts the records when asked: counting reads the whole collection. Leaving the page ends it. */
export function CountButton({ id, name }: { readonly id: string; readonly name: string }) {
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['count', id],
    queryFn: ({ signal }) => client.collection(id).find({}, { signal }).count(),
    enabled: false,
  });
  return (
    <span role="status" className={styles.count}>
      {isFetching && t('collections.counting')}
      {!isFetching && error !== null && <span className={styles.problem}>{titleOf(error)}</span>}
      {!isFetching && data !== undefined && t('collections.counted', { count: data })}
      {!isFetching && data === undefined && (
        <Button
          look="plain"
          className={styles.countButton}
          aria-label={t('collections.countOf', { name })}
          onClick={() => void refetch()}
        >
          {t('collections.count')}
        </Button>
      )}
    </span>
  );
}
