import { Fragment } from 'react';
import { type MessageKey, t } from '../../i18n/language.js';
import { Dialog } from '../../ui/overlays/dialog.js';
import { chooseSingleKeys, hasSingleKeys } from './keys.js';
import styles from './palette.module.css';

/** The keys of the console, by page. */
export function Shortcuts({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog open onOpenChange={open => !open && onClose()} title={t('palette.shortcuts')}>
      {SHORTCUTS.map(({ page, shortcuts }) => (
        <Fragment key={page}>
          <h3>{t(page)}</h3>
          <dl className={styles.shortcuts}>
            {shortcuts.map(({ keys, what }) => (
              <Fragment key={what}>
                <dt>
                  <kbd>{t(keys)}</kbd>
                </dt>
                <dd>{t(what)}</dd>
              </Fragment>
            ))}
          </dl>
        </Fragment>
      ))}
      <label>
        <input
          type="checkbox"
          defaultChecked={hasSingleKeys()}
          onChange={event => chooseSingleKeys(event.target.checked)}
        />{' '}
        {t('palette.singleKeys')}
      </label>
    </Dialog>
  );
}

interface Shortcut {
  readonly keys: MessageKey;
  readonly what: MessageKey;
}

/** The list of shortcuts. A page that has keys of its own adds a part here. */
const SHORTCUTS: readonly { readonly page: MessageKey; readonly shortcuts: readonly Shortcut[] }[] = [
  {
    page: 'palette.everywhere',
    shortcuts: [
      { keys: 'palette.openKeys', what: 'palette.open' },
      { keys: 'palette.shortcutsKeys', what: 'palette.shortcuts' },
      { keys: 'palette.closeKeys', what: 'palette.closes' },
    ],
  },
  {
    page: 'edit.shortcuts',
    shortcuts: [
      { keys: 'edit.editKeys', what: 'edit.editValue' },
      { keys: 'edit.openKeys', what: 'records.openRecord' },
      { keys: 'edit.chooseKeys', what: 'edit.choose' },
      { keys: 'edit.rangeKeys', what: 'edit.chooseRange' },
      { keys: 'edit.clipboardKeys', what: 'edit.copyPaste' },
      { keys: 'edit.undoKeys', what: 'edit.undo' },
      { keys: 'edit.redoKeys', what: 'edit.redo' },
      { keys: 'edit.saveKeys', what: 'edit.save' },
    ],
  },
];
