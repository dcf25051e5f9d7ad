/** Texts of this area. */
export const live = {
  title: 'En direct',
};
