import type { MessageKey } from '../i18n/language.js';

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
];
