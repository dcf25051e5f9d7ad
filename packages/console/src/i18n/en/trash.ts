/** Texts of deleting a collection and of the trash. */
export const trash = {
  title: 'Trash',
  text: 'Deleted collections can be restored for {days|one day|{days} days}. Those that you may restore are listed.',
  off: 'This installation keeps no deleted collections.',
  empty: 'The trash is empty',
  deleted: 'Deleted',
  until: 'Can be restored until',
  actions: 'Actions',
  restore: 'Restore',
  restoreOf: 'Restore {name}',
  restoreTitle: 'Restore {name}?',
  restoreText: 'Records, indexes and shares come back. Keys stay revoked, and webhooks switched off.',
  menuOf: 'Actions for the collection {name}',
  delete: 'Delete the collection…',
  deleteNow: 'Delete the collection',
  deleteTitle: 'Delete the collection {name}?',
  deleteText:
    'It disappears for everybody, with all its records. From the trash it can be restored for {days|one day|{days} days}.',
  deleteForGood: 'It is gone for good, with all its records: this installation has no trash.',
  deleteKeys: 'Its keys are refused from now on, also after it was restored.',
};
