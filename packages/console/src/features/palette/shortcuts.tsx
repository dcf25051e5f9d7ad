import { Fragment } from 'react';
import { t } from '../../i18n/language.js';
import { Dialog } from '../../ui/overlays/dialog.js';
import { chooseSingleKeys, hasSingleKeys } from './keys.js';
import styles from './palette.module.css';
import { SHORTCUTS } from './shortcut-list.js';

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
