// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of rules look like this

/** Texts of this area. */
export const workspaces = {
  title: 'Espaces de travail',
  text: 'Un espace de travail réunit des personnes, rôles, règles et clés d’API de l’organisation, pour une équipe ou une application.',
  none: 'Il n’y a pas encore d’espace de travail',
  noneText: 'Vous voyez ceux où vous avez un rôle, et tous si votre rôle dans l’organisation le permet.',
  more: 'Afficher plus',
  create: 'Nouvel espace de travail',
  description: 'Description',
  slugHint: 'Unique dans l’organisation. Les programmes nomment l’espace ainsi.',
  updated: 'Modifié',
  path: 'Chemin',
  yourRole: 'votre rôle : {role}',
  since: 'Depuis',
  notJson: 'Ce n’est pas un objet JSON.',

  check: 'Vérifier les droits',
  checkText: 'Demande au service si une action est permise, et quelle règle en décide.',
  checkIt: 'Vérifier',
  action: 'Action',
  subject: 'Type de ressource',
  resource: 'Ressource',
  resourceHint:
    'Ses champs en JSON, par exemple {"authorId": "42"}. Vide : n’importe quelle ressource de ce type.',
  allowed: 'Permis. {reason}',
  refused: 'Pas permis. {reason}',

  people: 'Personnes',
  peopleText:
    'Qui travaille dans l’espace. Les membres de l’organisation qui peuvent administrer tous les espaces ne sont pas listés.',
  peopleNone: 'Personne n’a encore de rôle ici.',
  addPerson: 'Ajouter une personne',
  removePersonTitle: 'Retirer {name} de {workspace} ?',
  removePersonText: 'La personne perd aussitôt son rôle ici, et reste membre de l’organisation.',

  rolesText:
    'Chaque espace a des propriétaires et des éditeurs. Des règles disent ce que permettent les autres rôles.',
  roleNameHint: 'A-Z a-z 0-9 _ - en commençant par une lettre ou un chiffre.',
  deleteRoleText:
    'Les règles de ce rôle sont supprimées avec lui. Le service le refuse tant que quelqu’un a ce rôle.',

  rules: 'Règles',
  rulesText:
    'La règle de plus haute priorité l’emporte, puis la dernière. Aucune règle ne limite qui administre l’espace.',
  rulesNone: 'Il n’y a pas encore de règle.',
  rule: 'Règle',
  newRule: 'Nouvelle règle',
  changeRule: 'Modifier la règle',
  deleteRuleTitle: 'Supprimer cette règle ?',
  ruleAllows: '{who} : permis {actions} ({subjects})',
  ruleForbids: '{who} : interdit {actions} ({subjects})',
  onlyFields: 'seulement les champs {fields}',
  everybody: 'tout le monde',
  effect: 'La règle',
  allows: 'permet',
  forbids: 'interdit',
  for: 'Pour',
  ruleActions: 'Actions (manage les comprend toutes)',
  subjects: 'Types de ressources',
  conditions: 'Conditions',
  conditionsHint:
    'Une requête MongoDB sur les champs de la ressource, en JSON, par exemple {"authorId": "${user.id}"}. Vide : toute ressource.',
  fields: 'Seulement ces champs',
  fieldsHint: 'Noms séparés par des virgules, par exemple name, address.*. Vide : tous.',
  priority: 'Priorité',
  priorityHint: 'De -1000 à 1000.',
  reason: 'Raison',
  reasonHint: 'Affichée dans le résultat d’une vérification.',
  changedMeanwhile:
    'Quelqu’un d’autre a modifié cette règle entre-temps. Fermez la fenêtre pour voir les règles actuelles.',

  keysText: 'Une clé fait ce que ses propres règles permettent dans cet espace, et rien d’autre.',
  keyConditions: 'Les règles de cette clé ont des conditions. L’API permet de les modifier.',
  delete: 'Supprimer l’espace de travail',
  deleteText: 'Ses rôles, règles et clés d’API sont supprimés avec lui.',
  deleteTitle: 'Supprimer l’espace de travail « {name} » ?',
  deleteWarning: 'Il ne peut pas être récupéré. Ses clés d’API cessent aussitôt de fonctionner.',
  who: 'Qui',
};
