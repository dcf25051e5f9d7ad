import type { MessageKey } from '../../i18n/language.js';

interface Shortcut {
  readonly keys: MessageKey;
  readonly what: MessageKey;
}

/** The list of shortcuts. A page that has keys of its own adds a part here. */
export const SHORTCUTS: readonly { readonly page: MessageKey; readonly shortcuts: readonly Shortcut[] }[] = [
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
