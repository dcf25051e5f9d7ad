import { fold, singular } from './tokenize.js';

/**
 * Words that stand for the same thing, in English and French, singular. Only what can be exchanged without another
 * figure: a unit price is no amount, so `price` and `amount` are apart.
 */
const SAME = `
amount, total, revenue, turnover, sales, montant, chiffre d'affaires, recette, spend, spent, depense, depenses, worth, order value, basket, panier
price, prix, tarif
cost, cout, coute, coutent
salary, wage, pay, payroll, masse salariale, earn, earning, earned, salaire, remuneration, gagne, gagnent, gagnant
quantity, qty, units sold, items sold, pieces sold, units were sold, items were sold, pieces were sold, units did we sell, items did we sell, units have we sold, items have we sold, articles vendus, unites vendues, pieces vendues, quantite
discount, rebate, remise, rabais, reduction
tax, vat, tva, taxe
budget
age
weight, weigh, weighing, poids, pese, pesent
height, hauteur, taille
duration, duree
score, note, rating, evaluation
country, pays
city, town, ville
region
address, adresse
zip, postcode, postal code, code postal
customer, client, buyer, acheteur
employee, staff, worker, employe, salarie, collaborateur
person, people, everyone, everybody, personne, gens
product, article, produit
order, purchase, commande, achat
invoice, bill, facture
incident, ticket, outage, panne
supplier, vendor, fournisseur
company, firm, entreprise, societe
department, dept, team, departement, service, equipe
manager, managed by, gere par, report to, reporting to, boss, supervisor, responsable, chef, superieur
office, bureau, site
job, position, role, title, poste, fonction, metier
category, categorie
type, kind
status, state, statut, etat
priority, priorite
severity, gravite, severite
channel, canal
payment, paiement, reglement
payment method, mode de paiement, moyen de paiement, methode de paiement
currency, devise
name, nom
first name, prenom
last name, surname, family name, nom de famille
email, e mail, mail, courriel
phone, telephone
description
comment, commentaire, remark, remarque
tag, label, etiquette
skill, competence
language, langue
contract, contrat
account, compte
sector, industry, secteur, industrie
owner, proprietaire
assignee, assigned, assigne, assignee a, responsible
reporter, reported, report, signale, rapporteur
vehicle, vehicule
stock, inventory, inventaire
order date, ordered, date de commande, commande le
delivery, livraison
shipment, shipping, expedition
hire, hired, hiring, joined, recruited, embauche, recrute
signup, sign up, signed up, signing up, inscription, inscrit
birth, born, naissance, ne le, nee le
created, creation, cree, creee
updated, modified, modification, modifie, modifiee
opened, ouverture
closing, cloture, fermeture
resolved, resolu, resolus, resolue
due, echeance
start, debut
end, fin
paid, paye, payee
shipped, expedie, expediee
delivered, livre, livree
cancelled, canceled, annule, annulee
refunded, rembourse, remboursee
returned, retourne, retournee
pending, en attente, waiting
open, ouvert, ouverte
closed, ferme, fermee, clos
in progress, ongoing, en cours
active, actif, active
inactive, inactif
high, haut, haute, eleve, elevee
low, bas, basse, faible
medium, moyen, moyenne
critical, critique
urgent, urgente
resolved, resolu, resolue
new, nouveau, nouvelle
remote, teletravail, a distance
full time, temps plein
part time, temps partiel
permanent, cdi
intern, internship, stagiaire, stage
director, directeur, directrice
engineer, ingenieur
analyst, analyste
assistant, assistante
developer, developpeur, developpeuse
technician, technicien
accountant, comptable
male, man, homme
female, woman, femme
book, livre, ouvrage
author, writer, auteur
reading, measurement, releve
sensor, capteur
humidity, humidite
title, titre
level, niveau
french, francais, francaise
english, anglais, anglaise
german, allemand, allemande
spanish, espagnol, espagnole
italian, italien, italienne
novel, roman
yes, oui
no, non
vip
gift, cadeau
france
germany, allemagne
japan, japon
brazil, bresil
portugal
netherland, pays bas
china, chine
spain, espagne
italy, italie
belgium, belgique
switzerland, suisse
united kingdom, uk, royaume uni
united states, usa, etats unis
london, londres
brussels, bruxelles
geneva, geneve
marketing
engineering, ingenierie
finance, finances
sale, vente
human resource, hr, rh, ressources humaines
`;

/** Words that only join others: `date of birth`, `chiffre d'affaires`. */
const JOINTS = new Set(['of', 'the', 'de', 'des', 'du', "d'", "l'", 'd', 'l', 'la', 'le', 'les']);

export function isJoint(word: string): boolean {
  return JOINTS.has(word);
}

/** A word or words as they are compared: folded, singular, without what joins them, parted by one space. */
export function key(words: readonly string[]): string {
  const folded = words.map(fold);
  const telling = folded.filter(word => !isJoint(word));
  return (telling.length === 0 ? folded : telling).map(singular).join(' ');
}

const CONCEPTS: ReadonlyMap<string, ReadonlySet<string>> = conceptsOf(SAME);

function conceptsOf(table: string): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const line of table.trim().split('\n')) {
    const names = line.split(', ').map(name => key(name.split(/[\s']+/)));
    for (const name of names) {
      const others = found.get(name) ?? new Set();
      for (const other of names) others.add(other);
      found.set(name, others);
    }
  }
  return found;
}

/** True for two keys that mean the same. */
export function sameThing(one: string, other: string): boolean {
  return one === other || CONCEPTS.get(one)?.has(other) === true;
}

/** Every key that means the same as this one, itself left out. */
export function synonyms(name: string): string[] {
  return [...(CONCEPTS.get(name) ?? [])].filter(other => other !== name);
}
