import { type KeyboardEvent, useEffect, useId, useState } from 'react';
import { t } from '../../i18n/language.js';
import { isComposing } from '../../ui/controls/composing.js';
import { Input } from '../../ui/controls/field.js';
import { useDebounced } from '../../ui/hooks.js';
import { Dialog } from '../../ui/overlays/dialog.js';
import { type Entry, moved } from './entries.js';
import styles from './palette.module.css';
import { useEntries } from './use-entries.js';

interface PaletteProps {
  readonly onClose: () => void;
  readonly onShortcuts: () => void;
}

/** Finds collections, pages and actions by name. The text field keeps the focus; arrow keys move in the list. */
export function Palette({ onClose, onShortcuts }: PaletteProps) {
  const id = useId();
  const [text, setText] = useState('');
  const [place, setPlace] = useState(0);
  const settled = useDebounced(text);
  const found = useEntries(text, settled, onShortcuts);
  const { entries } = found;
  /** True: Enter was pressed before the service had answered for the present text. */
  const [isChosen, setChosen] = useState(false);
  const active = entries[Math.min(place, entries.length - 1)];
  const choose = (entry: Entry | undefined) => {
    if (entry === undefined) return;
    onClose();
    entry.run();
  };
  useEffect(() => {
    if (isChosen && found.isCurrent) choose(active);
  });
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event.nativeEvent)) return;
    const next = moved(place, event.key, entries.length);
    if (event.key === 'Enter') setChosen(true);
    else if (next === undefined) return;
    else setPlace(next);
    event.preventDefault();
  };
  return (
    <Dialog open onOpenChange={open => !open && onClose()} title={t('palette.title')}>
      <Input
        role="combobox"
        aria-label={t('palette.label')}
        aria-expanded
        aria-autocomplete="list"
        aria-controls={`${id}-list`}
        aria-activedescendant={active && `${id}-${active.id}`}
        placeholder={t('palette.label')}
        value={text}
        maxLength={200}
        onChange={event => {
          setText(event.target.value);
          setPlace(0);
          setChosen(false);
        }}
        onKeyDown={onKeyDown}
      />
      <PaletteList id={id} entries={entries} active={active} onChoose={choose} />
    </Dialog>
  );
}

interface PaletteListProps {
  readonly id: string;
  readonly entries: readonly Entry[];
  readonly active: Entry | undefined;
  readonly onChoose: (entry: Entry) => void;
}

const GROUPS = [
  { group: 'collections', label: 'collections.title' },
  { group: 'pages', label: 'palette.pages' },
  { group: 'actions', label: 'palette.actions' },
] as const;

function PaletteList({ id, entries, active, onChoose }: PaletteListProps) {
  const groups = GROUPS.map(each => ({
    ...each,
    entries: entries.filter(entry => entry.group === each.group),
  }));
  return (
    <>
      <div id={`${id}-list`} role="listbox" aria-label={t('palette.label')} className={styles.list}>
        {groups
          .filter(each => each.entries.length > 0)
          .map(each => (
            // biome-ignore lint/a11y/useSemanticElements: a list box has groups, not fieldsets
            <div key={each.group} role="group" aria-label={t(each.label)}>
              <div aria-hidden className={styles.group}>
                {t(each.label)}
              </div>
              {each.entries.map(entry => (
                <PaletteEntry
                  key={entry.id}
                  id={`${id}-${entry.id}`}
                  entry={entry}
                  isActive={entry === active}
                  onChoose={onChoose}
                />
              ))}
            </div>
          ))}
      </div>
      <p role="status" className={entries.length === 0 ? styles.none : 'visually-hidden'}>
        {t('palette.found', { count: entries.length })}
      </p>
    </>
  );
}

interface PaletteEntryProps {
  readonly id: string;
  readonly entry: Entry;
  readonly isActive: boolean;
  readonly onChoose: (entry: Entry) => void;
}

function PaletteEntry({ id, entry, isActive, onChoose }: PaletteEntryProps) {
  return (
    // biome-ignore lint/a11y/useFocusableInteractive lint/a11y/useKeyWithClickEvents: the text field keeps the focus and handles the keys
    <div
      id={id}
      role="option"
      aria-selected={isActive}
      className={styles.entry}
      ref={element => {
        if (isActive) element?.scrollIntoView({ block: 'nearest' });
      }}
      onClick={() => onChoose(entry)}
    >
      <span className={styles.label}>{entry.label}</span>
      {entry.hint !== undefined && <span className={styles.hint}>{entry.hint}</span>}
    </div>
  );
}
