/** Texts of this area. */
export const account = {
  title: 'Compte',
};
