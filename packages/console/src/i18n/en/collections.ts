/** Texts of this area. */
export const collections = {
  title: 'Collections',
};
