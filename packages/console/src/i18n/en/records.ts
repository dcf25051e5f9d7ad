/** Texts of this area. */
export const records = {
  title: 'Records',
};
