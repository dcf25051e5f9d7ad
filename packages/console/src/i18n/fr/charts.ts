/** Texts of this area. */
export const charts = {
  title: 'Graphiques',
};
