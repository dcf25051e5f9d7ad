/** Texts of this area. */
export const find = {
  title: 'Filter',
};
