import { useEffect, useState } from 'react';
import { listRoute } from '../../api/routes.js';
import { t } from '../../i18n/language.js';
import { ChoiceList, Input } from '../../ui/controls/field.js';
import { useDebounced } from '../../ui/hooks.js';
import styles from './collections.module.css';
import { type CollectionsSearch, SORTS } from './search.js';

const SHOWN = [
  { show: undefined, label: 'collections.all' },
  { show: 'own', label: 'collections.own' },
  { show: 'shared', label: 'collections.shared' },
] as const;

const SORT_LABELS = {
  name: 'collections.sortName',
  '-name': 'collections.sortNameDown',
  '-updated_at': 'collections.sortUpdated',
  updated_at: 'collections.sortUpdatedUp',
  '-created_at': 'collections.sortCreated',
  created_at: 'collections.sortCreatedUp',
} as const;

/** Search, kind and order of the list. All of them are in the address. */
export function ListControls() {
  const search = listRoute.useSearch();
  const navigate = listRoute.useNavigate();
  const change = (part: Partial<CollectionsSearch>) =>
    void navigate({ search: ({ page: _, ...rest }) => ({ ...rest, ...part }), replace: true });
  return (
    <div className={styles.controls}>
      <SearchField value={search.q ?? ''} onChange={q => change({ q: q === '' ? undefined : q })} />
      <fieldset className={styles.choice}>
        <legend className="visually-hidden">{t('collections.whose')}</legend>
        {SHOWN.map(({ show, label }) => (
          <button
            key={label}
            type="button"
            aria-pressed={search.show === show}
            onClick={() => change({ show })}
          >
            {t(label)}
          </button>
        ))}
      </fieldset>
      <ChoiceList
        className={styles.sort}
        aria-label={t('collections.order')}
        choices={SORTS}
        textOf={sort => t(SORT_LABELS[sort])}
        value={search.sort ?? 'name'}
        onChange={sort => change({ sort })}
      />
    </div>
  );
}

interface SearchFieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Writes into the address when typing pauses, and follows the address when somebody goes back. */
function SearchField({ value, onChange }: SearchFieldProps) {
  const [text, setText] = useState(value);
  const [written, setWritten] = useState(value);
  const settled = useDebounced(text).trim();
  if (value !== written) {
    setWritten(value);
    setText(value);
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a text that stands still is written
  useEffect(() => {
    if (settled === written || settled !== text.trim()) return;
    setWritten(settled);
    onChange(settled);
  }, [settled]);
  return (
    <Input
      type="search"
      className={styles.search}
      aria-label={t('collections.search')}
      placeholder={t('collections.search')}
      maxLength={200}
      value={text}
      onChange={event => setText(event.target.value)}
    />
  );
}
