/** Texts of the palette and of the list of shortcuts. */
export const palette = {
  actions: 'Actions',
  closeKeys: 'Échap',
  closes: 'Fermer ce qui est devant la page',
  everywhere: 'Sur chaque page',
  found: '{count|Un résultat|{count} résultats}',
  label: 'Collection, page ou action',
  open: 'Rechercher',
  openKeys: 'Ctrl/⌘ K',
  pages: 'Pages',
  shortcuts: 'Raccourcis clavier',
  shortcutsKeys: '?',
  singleKeys: 'Raccourcis d’un seul caractère, comme ?',
  title: 'Rechercher',
};
