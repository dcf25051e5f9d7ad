import { Columns3 } from 'lucide-react';
import { t } from '../../../i18n/language.js';
import { Button } from '../../../ui/controls/button.js';
import { Menu, MenuCheck, MenuGroup, MenuItem, MenuSeparator } from '../../../ui/overlays/menu.js';
import type { GridColumn } from './columns.js';
import type { ColumnChoice } from './use-column-choice.js';

const ORIGINS = [
  ['schema', 'records.columnsOfSchema'],
  ['flexible', 'records.columnsFlexible'],
  ['system', 'records.columnsOfService'],
] as const;

/** Shows and hides columns, also fields that no column declares. */
export function ColumnsMenu({ choice }: { readonly choice: ColumnChoice }) {
  const shown = new Set(choice.shown.map(({ name }) => name));
  const known = new Set(choice.all.map(({ name }) => name));
  const all = [...choice.all, ...choice.shown.filter(({ name }) => !known.has(name))];
  return (
    <Menu trigger={<Button icon={<Columns3 size={16} aria-hidden />}>{t('records.columns')}</Button>}>
      {ORIGINS.map(([origin, label]) => {
        const columns = all.filter(column => column.origin === origin);
        return columns.length === 0 ? null : (
          <MenuGroup key={origin} label={t(label)}>
            {columns.map((column: GridColumn) => (
              <MenuCheck
                key={column.name}
                checked={shown.has(column.name)}
                onChange={isShown => choice.show(column.name, isShown)}
              >
                {column.name}
              </MenuCheck>
            ))}
          </MenuGroup>
        );
      })}
      <MenuSeparator />
      <MenuItem onSelect={choice.reset} disabled={!choice.isChosen}>
        {t('records.columnsReset')}
      </MenuItem>
    </Menu>
  );
}
