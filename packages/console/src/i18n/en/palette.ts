/** Texts of the palette and of the list of shortcuts. */
export const palette = {
  actions: 'Actions',
  closeKeys: 'Esc',
  closes: 'Close what stands over the page',
  everywhere: 'On every page',
  found: '{count|One result|{count} results}',
  label: 'Collection, page or action',
  open: 'Search',
  openKeys: 'Ctrl/⌘ K',
  pages: 'Pages',
  shortcuts: 'Keyboard shortcuts',
  shortcutsKeys: '?',
  singleKeys: 'Shortcuts of a single character, such as ?',
  title: 'Search',
};
