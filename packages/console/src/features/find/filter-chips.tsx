import { X } from 'lucide-react';
import { t } from '../../i18n/language.js';
import { Button } from '../../ui/controls/button.js';
import { describe } from './builder/describe.js';
import styles from './finder.module.css';
import { fromFilter } from './model/from-filter.js';
import { toFilter } from './model/to-filter.js';
import type { Finder } from './use-finder.js';

interface FilterChipsProps {
  readonly finder: Finder;
  readonly onEdit: () => void;
}

/** The active filter in words, a chip for each condition that must hold. Nothing without a filter. */
export function FilterChips({ finder: { search, collection, show }, onEdit }: FilterChipsProps) {
  const { filter } = search;
  if (filter === undefined || Object.keys(filter).length === 0) return null;
  const root = fromFilter(filter);
  const items = root.mode === 'all' ? root.items : [root];
  const remove = (index: number) => {
    const left = toFilter({ ...root, items: items.toSpliced(index, 1) });
    show({ filter: items.length === 1 ? undefined : left });
  };
  return (
    <ul className={styles.chips} aria-label={t('find.activeFilter')}>
      {items.map((item, index) => {
        const text = describe(item, collection.schema);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a condition is its place
          <li key={index} className={styles.chip}>
            <button
              type="button"
              className={styles.chipText}
              aria-label={t('find.editCondition', { text })}
              title={text}
              onClick={onEdit}
            >
              <span>{text}</span>
            </button>
            <button
              type="button"
              className={styles.chipRemove}
              aria-label={t('find.removeCondition', { text })}
              onClick={() => remove(index)}
            >
              <X size={14} aria-hidden />
            </button>
          </li>
        );
      })}
      <li>
        <Button look="plain" onClick={() => show({ filter: undefined })}>
          {t('find.clearFilter')}
        </Button>
      </li>
    </ul>
  );
}
