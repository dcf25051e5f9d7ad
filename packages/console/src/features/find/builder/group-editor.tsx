import { FolderPlus, Plus, Trash2 } from 'lucide-react';
import { t } from '../../../i18n/language.js';
import { Button, IconButton } from '../../../ui/controls/button.js';
import { Select } from '../../../ui/controls/field.js';
import { newCondition } from '../model/choices.js';
import type { Group, Item, Mode } from '../model/model.js';
import styles from './builder.module.css';
import { type GroupEditorProps, placeOf, useBuilder } from './builder-context.js';
import { ItemEditor } from './item-editor.js';

const MODES: readonly Mode[] = ['all', 'any', 'none'];

/** A group of conditions: which of them must hold, the conditions, and what can be added. */
export function GroupEditor({
  group,
  path,
  ofValues,
  inElement,
  isFixed = path.length === 0,
}: GroupEditorProps) {
  const { change, columns } = useBuilder();
  const name = path.length === 0 ? t('find.rootGroup') : t('find.group', { place: placeOf(path) });
  const edit = (next: (group: Group) => Group) =>
    change(path, item =>
      item.kind === 'elements' ? { ...item, group: next(item.group) } : next(item as Group),
    );
  const add = (item: Item) => edit(group => ({ ...group, items: [...group.items, item] }));
  const first = ofValues ? '' : inElement ? 'name' : (Object.keys(columns)[0] ?? '_id');
  return (
    <fieldset className={styles.group} data-mode={group.mode}>
      <legend className="visually-hidden">{name}</legend>
      {!ofValues && (
        <div className={styles.groupHead}>
          <Select
            aria-label={`${t('find.mode')} (${name})`}
            value={group.mode}
            onChange={event => {
              const mode = event.target.value as Mode;
              edit(({ explicit: _spelling, ...group }) => ({ ...group, mode }));
            }}
          >
            {MODES.map(mode => (
              <option key={mode} value={mode}>
                {t(`find.mode_${mode}`)}
              </option>
            ))}
          </Select>
          {!isFixed && (
            <IconButton
              label={t('find.removeGroup', { place: placeOf(path) })}
              icon={<Trash2 size={16} aria-hidden />}
              onClick={() => change(path, () => undefined)}
            />
          )}
        </div>
      )}
      {group.items.length === 0 && !ofValues && <p className={styles.quiet}>{t('find.emptyGroup')}</p>}
      {group.items.length > 0 && (
        <ul className={styles.items}>
          {group.items.map((item, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: an item is its place
            <li key={`${index}:${item.kind}`}>
              <ItemEditor item={item} path={[...path, index]} ofValues={ofValues} inElement={inElement} />
            </li>
          ))}
        </ul>
      )}
      <div className={styles.actions}>
        <Button
          look="plain"
          icon={<Plus size={16} aria-hidden />}
          onClick={() => add(newCondition(first, inElement ? {} : columns))}
        >
          {t('find.addCondition')}
        </Button>
        {!ofValues && (
          <Button
            look="plain"
            icon={<FolderPlus size={16} aria-hidden />}
            onClick={() => add({ kind: 'group', mode: group.mode === 'any' ? 'all' : 'any', items: [] })}
          >
            {t('find.addGroup')}
          </Button>
        )}
      </div>
    </fieldset>
  );
}
