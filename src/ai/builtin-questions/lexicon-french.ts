import type { Lexicon } from './role.js';

export const FRENCH: Lexicon = {
  count:
    "effectif, effectifs, repartition des, repartition de, combien de, combien d', nombre de, nombre d', le nombre, nombre total de, nombre total d', compte les, compter, compter les, combien y a-t-il de, combien y a-t-il d', combien avons-nous de, combien avons-nous d', combien y a t il",
  exists: "y a-t-il, y a-t-il des, est-ce qu'il y a, existe-t-il, a-t-on, avons-nous",
  howMuch: 'combien',
  list: 'liste, lister, liste des, la liste des, la liste de, montre, montrer, montre-moi, montrez-moi, affiche, afficher, affiche-moi, donne, donne-moi, donnez-moi, trouve, trouver, voir',
  which: 'quels, quelles, quel, quelle, qui, lesquels, lesquelles, quels sont, quelles sont',
  what: "qu'est-ce que, quel est, quelle est, quand, que",
  distinct: 'differents, differentes, distincts, distinctes, different, differente, uniques, distinct',
  all: 'tous, toutes, tout, toute',
  sum: 'somme, somme de, somme des, total, totale, totaux, total de, total des, au total, cumul',
  avg: 'moyenne, moyen, moyens, moyennes, moyenne de, moyenne des, en moyenne',
  min: 'moins cher, moins chere, moins chers, moins cheres, le moins cher, la moins chere, les moins chers, les moins cheres, minimum, minimale, minimal, min, plus petit, plus petite, plus bas, plus basse, plus faible, plus court, plus courte, le plus petit, la plus petite, le plus bas, la plus basse, le plus faible, la plus faible, les plus petits, les plus petites, les plus bas, les plus basses, les plus faibles, plus petits, plus petites, plus faibles, plus bas',
  max: 'les mieux payes, mieux payes, les mieux payees, mieux payees, mieux paye, le mieux paye, la mieux payee, plus cher, plus chere, plus chers, plus cheres, le plus cher, la plus chere, les plus chers, les plus cheres, maximum, maximale, maximal, max, plus grand, plus grande, plus haut, plus haute, plus eleve, plus elevee, plus gros, plus grosse, plus long, plus longue, plus important, plus importante, le plus grand, la plus grande, le plus haut, la plus haute, le plus eleve, la plus elevee, le plus gros, la plus grosse, le plus long, la plus longue, le plus important, la plus importante, les plus grands, les plus grandes, les plus hauts, les plus hautes, les plus eleves, les plus elevees, les plus gros, les plus grosses, les plus longs, les plus longues, les plus importants, les plus importantes, plus grands, plus grandes, plus eleves, plus elevees, plus gros, plus grosses, plus importants, plus importantes',
  group:
    'par, pour chaque, pour chacun des, pour chacune des, dans chaque, par chaque, groupe par, groupes par, groupees par, regroupe par, regroupes par, regroupees par, ventile par, ventilees par, ventiles par',
  each: 'chaque, chacun, chacune',
  top: 'top, meilleurs, meilleures, meilleur, meilleure',
  bottom: 'pires, pire',
  most: "le plus de, le plus d', le plus",
  fewest: "le moins de, le moins d', le moins",
  newest:
    'dernier, derniere, derniers, dernieres, plus recent, plus recente, plus recents, plus recentes, le plus recent, la plus recente, les plus recents, les plus recentes',
  oldest:
    'premier, premiere, premiers, premieres, plus ancien, plus ancienne, plus anciens, plus anciennes, le plus ancien, la plus ancienne, les plus anciens, les plus anciennes',
  share:
    'pourcentage, pourcentages, part des, part de, part du, part de la, la part des, la part de, la part du, la part, proportion, la proportion, pourcent',
  weekday: 'jour de la semaine, jours de la semaine',
  periodic:
    'mensuel, mensuelle, mensuels, mensuelles, hebdomadaire, hebdomadaires, trimestriel, trimestrielle, trimestriels, trimestrielles, annuel, annuelle, annuels, annuelles, quotidien, quotidienne, quotidiens, quotidiennes',
  sort: 'trie par, tries par, triee par, triees par, classe par, classes par, classees par, ordonne par, ordonnes par, ordonnees par, par ordre de, trier par, tries selon',
  ascending: 'croissant, croissante, par ordre croissant, ordre croissant, du plus petit au plus grand',
  descending:
    'decroissant, decroissante, par ordre decroissant, ordre decroissant, du plus grand au plus petit',
  gt: "plus de, plus d', plus que, superieur a, superieure a, superieurs a, superieures a, au-dessus de, au-dessus d', plus grand que, plus grande que, plus eleve que, plus elevee que, depassant, depasse, depassent, excedant, excede, plus age que, plus ages que, plus ages de, plus long que, >",
  gte: 'au moins, au minimum, superieur ou egal a, superieure ou egale a, superieurs ou egaux a, superieures ou egales a, minimum de, a partir de, >=, ≥',
  lt: "moins de, moins d', moins que, inferieur a, inferieure a, inferieurs a, inferieures a, au-dessous de, en dessous de, en-dessous de, en dessous d', plus petit que, plus bas que, plus jeunes que, plus jeune que, moins cher que, moins chers que, moins cheres que, <",
  lte: "au plus, au maximum, inferieur ou egal a, inferieure ou egale a, inferieurs ou egaux a, inferieures ou egales a, maximum de, jusqu'a, pas plus de, <=, ≤",
  more: 'davantage',
  higher: 'superieur, superieure',
  than: 'que chez',
  versus: 'versus, vs, contre',
  compare: 'compare, comparer, comparez, comparaison de, comparaison du, comparaison des, difference entre',
  eq: 'egal a, egale a, egaux a, egales a, exactement, =, nomme, nommee, appele, appelee, vaut',
  between: 'entre, compris entre, comprise entre, comprises entre',
  orMore: 'ou plus, et plus',
  orLess: 'ou moins, et moins',
  not: 'pas, tout sauf, tous sauf, toutes sauf, non, sauf, hors, hormis, excepte, a part, autre que, autres que, autrement que, ni, jamais, en dehors de, mais pas, et pas, !=',
  and: 'et, &, mais, ainsi que, et aussi',
  or: 'ou, ou bien',
  with: "avec, avec un, avec une, ayant, ont, a un, a une, ont un, ont une, possedent, possede, dispose d', disposent d'",
  without:
    "sans, sans aucun, sans aucune, n'ont pas de, n'ont pas d', n'a pas de, n'a pas d', n'ont aucun, n'ont aucune, pas de, pas d', aucun, aucune",
  empty:
    'vide, vides, nul, nulle, inconnu, inconnue, manquant, manquante, manquants, manquantes, non renseigne, non renseignee, non renseignes, pas renseigne, pas renseignee',
  filled: 'renseigne, renseignee, renseignes, renseignees, connu, connue, pas vide, non vide',
  contains:
    'contient, contiennent, contenant, comprend, comprenant, mentionne, mentionnent, mentionnant, incluant',
  starts: 'commence par, commencent par, commencant par, debute par, debutent par, debutant par',
  ends: 'finit par, finissent par, finissant par, se termine par, se terminent par, se terminant par, termine par',
  since: "depuis, a partir du, a compter du, a compter de, depuis le, depuis la, depuis l'",
  before: "avant, avant le, avant la, avant l', anterieur au, anterieures au, anterieurs au, anterieure au",
  after:
    "apres, apres le, apres la, apres l', posterieur au, posterieures au, posterieurs au, posterieure au",
  until: "jusqu'au, jusqu'en, jusque",
  from: 'du, de',
  to: 'au, a',
  in: "en, dans, dans le, dans la, dans l', pendant, durant, pendant le, pendant la, au cours de, au cours du, lors de, sur, sur le, sur la, sur les, au cours des, a la, au cours de la",
  record: 'enregistrement, enregistrements, ligne, lignes, entree, entrees',
  showing: 'avec leur, avec leurs, avec son, avec sa, avec ses',
  filler:
    "le, la, les, l', un, une, des, d', de la, de l', qu', que, est-ce que, est-ce qu', c', ce, cette, cet, ces, se, s', ne, n', y, y a-t-il, il y a, t, il, ils, elle, elles, on, nous, vous, je, j', me, m', moi, notre, nos, mon, ma, mes, son, sa, ses, leur, leurs, dont, ou sont, " +
    "est, sont, etait, etaient, ete, etre, suis, ont ete, a ete, avons, a-t-on, ont-ils, sont-ils, sont-elles, as, aux, chez, pour, aussi, encore, deja, actuellement, toujours, seulement, uniquement, svp, merci, s'il vous plait, s'il te plait, peux-tu, " +
    'pouvez-vous, veux, voudrais, il existe, existent, valeur, valeurs, travaille, travaillent, habite, habitent, vivent, situe, situes, situees, basee, bases, bases a, passe, passes, passees, passee, fait, faites, faits, effectuees, effectuee, provenant, payees par, payes par, payee par, paye par, viennent, vient, provient, proviennent, bonjour, aujourd, quoi, colonne, champ, liees, lie, lies, concernant, recu, recues, enregistre, enregistres, enregistrees, avons-nous, avez-vous, avoir, qui ont, qui sont, dit, moi les',
  unsupported:
    'ratio, taux, mediane, median, ecart type, ecart-type, variance, tendance, tendances, evolution, croissance, prevision, previsions, prevoir, correlation, pourquoi, comparaison, difference, cumule, ' +
    'supprime, supprimer, efface, effacer, modifie le, ajoute, ajouter, cree un, cree une, double, moitie, week end, environ, presque, plus frequent, plus frequente, plus souvent, le plus souvent, explique, devrait, recommande, a peu pres, retard, en retard',
};
