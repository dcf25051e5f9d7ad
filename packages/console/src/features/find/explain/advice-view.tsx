import type { Explanation } from '@typed-collections/client';
import type { CollectionInfo } from '../../../api/collection-query.js';
import { collectionRoute } from '../../../api/collection-route.js';
import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import { entryOf, type ServiceIndex } from '../../schema/indexes/index-set.js';
import { useIndexChange } from '../../schema/indexes/use-index-change.js';
import { Refusal } from '../../schema/refusal/refusal.js';
import styles from './explain.module.css';

interface AdviceViewProps {
  readonly explanation: Explanation;
  readonly collection: CollectionInfo;
  /** The index that was advised is there. */
  readonly onBuilt: () => void;
}

/** The indexes that were used, and the one that would help, with a button that builds it. */
export function AdviceView({ explanation, collection, onBuilt }: AdviceViewProps) {
  const { collection: inAddress } = collectionRoute.useParams();
  const build = useIndexChange(collection, inAddress);
  const { advice } = explanation;
  const mayBuild = collection.my_rights.includes('manage') && collection.status === 'ready';
  return (
    <>
      <p>{usedText(explanation)}</p>
      {advice === null && <p>{t('schema.noAdvice')}</p>}
      {advice !== null && (
        <div className={styles.advice}>
          <p>{t('schema.advice', { index: indexText(advice) })}</p>
          {mayBuild ? (
            <Button
              look="primary"
              disabled={build.isPending}
              onClick={() => build.mutate({ add: entryOf(advice) }, { onSuccess: onBuilt })}
            >
              {build.isPending ? t('schema.building') : t('schema.buildAdvice')}
            </Button>
          ) : (
            <p className={styles.quiet}>{t('schema.adviceReader')}</p>
          )}
        </div>
      )}
      {build.error !== null && <Refusal error={build.error} />}
    </>
  );
}

function usedText({ index, indexes, uses_index }: Explanation): string {
  const used = indexes ?? (index === null ? [] : [index]);
  if (used.length > 0) return t('schema.used', { index: used.map(indexText).join('; ') });
  return t(uses_index ? 'schema.usedId' : 'schema.usedNone');
}

function indexText(index: ServiceIndex): string {
  const { kind, properties } = entryOf(index);
  return kind === 'search' ? t('schema.searchOn', { name: properties.join(', ') }) : properties.join(', ');
}
