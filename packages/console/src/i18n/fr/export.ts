/** Texts of this area. */
export const exporting = {
  format: 'Format',
  format_csv: 'CSV, pour les tableurs',
  format_ndjson: 'NDJSON, un objet JSON par ligne',
  format_json: 'JSON, un seul tableau',
  keepFormulas: 'Laisser les formules telles quelles',
  formulasGuarded:
    'La console met une apostrophe devant les cellules qui commencent par = + - @, une tabulation ou un saut de ligne, car les tableurs les exécuteraient. Les nombres négatifs restent tels quels.',
  formulasKept:
    'Les tableurs peuvent exécuter les cellules qui commencent par = + - ou @. À n’utiliser que pour des programmes.',
  start: 'Exporter',
  stop: 'Arrêter',
  count_records: '{count|un enregistrement|{count} enregistrements}',
  count_events: '{count|un événement|{count} événements}',
  running: '{what}, {size}',
  done: 'Terminé : {what}, {size}.',
  stopped: 'Arrêté. Aucun fichier n’a été gardé.',
  atMost: 'Au plus {what}, les plus récents d’abord.',
  cutOff:
    'Le fichier s’arrête après {what}, le plus qu’un fichier peut contenir. Précisez les filtres pour obtenir les autres.',
  inMemory:
    'Ce navigateur garde le fichier en mémoire jusqu’à ce qu’il soit complet : au plus {size}. Au-delà, utilisez Chrome ou Edge, ou la ligne de commande.',
  tooLarge:
    'Le fichier dépasse {size}, ce que ce navigateur ne peut pas garder. Exportez-en moins à la fois, ou utilisez la ligne de commande.',
};
