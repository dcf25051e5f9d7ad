import { History } from 'lucide-react';
import { useState } from 'react';
import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import { Menu, MenuItem, MenuSeparator } from '../../../ui/overlays/menu.js';
import type { JsonObject } from '../../../values/json.js';
import { describe } from '../builder/describe.js';
import { forgetFilters, lastFilters } from '../history.js';
import { fromFilter } from '../model/from-filter.js';
import type { Finder } from '../use-finder.js';
import styles from './filter.module.css';

interface RecentFiltersProps {
  readonly finder: Finder;
  readonly onChoose: (filter: JsonObject) => void;
}

/** The last filters that this person used for the collection in this browser. */
export function RecentFilters({ finder: { person, collection }, onChoose }: RecentFiltersProps) {
  const { collection_id: id, schema } = collection;
  const [filters, setFilters] = useState(() => lastFilters(localStorage, person, id));
  const forget = () => {
    forgetFilters(localStorage, person, id);
    setFilters([]);
  };
  return (
    <Menu
      trigger={
        <Button className={styles.recent} icon={<History size={16} aria-hidden />}>
          {t('find.recent')}
        </Button>
      }
    >
      {filters.length === 0 && (
        <MenuItem disabled onSelect={() => undefined}>
          {t('find.noRecent')}
        </MenuItem>
      )}
      {filters.map(filter => (
        <MenuItem key={JSON.stringify(filter)} onSelect={() => onChoose(filter)}>
          <span className={styles.cut}>{describe(fromFilter(filter), schema)}</span>
        </MenuItem>
      ))}
      {filters.length > 0 && (
        <>
          <MenuSeparator />
          <MenuItem onSelect={forget}>{t('find.forgetRecent')}</MenuItem>
        </>
      )}
    </Menu>
  );
}
