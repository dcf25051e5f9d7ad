/** Texts of this area. */
export const live = {
  title: 'En direct',
  state_starting: 'Démarrage…',
  state_live: 'Les changements s’affichent au fur et à mesure.',
  state_catchingUp: 'Rattrapage…',
  state_reconnecting: 'Connexion perdue. Reconnexion…',
  state_paused: 'En pause tant que cet onglet est masqué',
  state_refused: 'Arrêté',
  askTitle: 'Afficher les changements au fur et à mesure ?',
  askWhat:
    'Les lignes changent sur place quand d’autres écrivent. Les nouveaux enregistrements sont annoncés. Tous les onglets de ce navigateur partagent une connexion, qui se ferme quand ils sont masqués.',
  askCost:
    'Ceci démarre le flux des changements de la collection. Chaque écriture enregistre alors aussi son changement : les écritures simples restent à peu près aussi rapides, les insertions en masse durent jusqu’à deux fois plus longtemps. Un flux que personne ne lit pendant 30 jours s’arrête de lui-même.',
  switchOn: 'Activer',
  changes: 'Changements',
  noChanges: 'Rien n’a changé depuis l’activation.',
  type_inserted: 'Ajouté',
  type_updated: 'Modifié',
  type_deleted: 'Supprimé',
  type_expired: 'Expiré',
  you: 'vous',
  somebody: 'inconnu',
  actor: '{type} …{id}',
  news: '{count|Un nouvel enregistrement|{count} nouveaux enregistrements}',
  show: 'Afficher',
  rowChanged: 'Modifié à l’instant',
  rowDeleted: 'Supprimé',
};
