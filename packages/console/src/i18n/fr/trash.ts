/** Textes de la suppression d’une collection et de la corbeille. */
export const trash = {
  title: 'Corbeille',
  text: 'Les collections supprimées peuvent être restaurées pendant {days|un jour|{days} jours}. Celles que vous pouvez restaurer figurent ici.',
  off: 'Cette installation ne garde pas les collections supprimées.',
  empty: 'La corbeille est vide',
  deleted: 'Supprimée',
  until: 'Peut être restaurée jusqu’au',
  actions: 'Actions',
  restore: 'Restaurer',
  restoreOf: 'Restaurer {name}',
  restoreTitle: 'Restaurer {name} ?',
  restoreText:
    'Enregistrements, index et partages reviennent. Les clés restent révoquées, et les webhooks désactivés.',
  menuOf: 'Actions pour la collection {name}',
  delete: 'Supprimer la collection…',
  deleteNow: 'Supprimer la collection',
  deleteTitle: 'Supprimer la collection {name} ?',
  deleteText:
    'Elle disparaît pour tous, avec tous ses enregistrements. Depuis la corbeille, elle peut être restaurée pendant {days|un jour|{days} jours}.',
  deleteForGood:
    'Elle disparaît définitivement, avec tous ses enregistrements : cette installation n’a pas de corbeille.',
  deleteKeys: 'Ses clés sont refusées dès maintenant, même après une restauration.',
};
