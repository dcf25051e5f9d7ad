import type { ColumnTypeName } from '../../../engine/columns/index.js';

/** Names of types, as in "price (decimal)". */
export const TYPE_NAMES: readonly [RegExp, ColumnTypeName][] = [
  [/^(bool|boolean|yes no|true false|flag|oui non)$/, 'boolean'],
  [/^(int|integer|whole number|bigint|long|entier)$/, 'integer'],
  [/^(double|decimal|float|number|numeric|money|real|nombre|decimale?)$/, 'double'],
  [/^(datetime|date time|timestamp|date and time|instant)$/, 'datetime'],
  [/^(date|day|calendar date)$/, 'date'],
  [/^(array|list|tags|text array|array of (text|strings?)|list of (text|strings?)|liste)$/, 'array'],
  [/^(json|object|map|dictionary|objet)$/, 'json'],
  [/^(text|string|varchar|char|texte)$/, 'text'],
];

/** Units and the type of figures in them. The unit becomes the end of the column's name. */
export const UNITS: readonly [RegExp, ColumnTypeName][] = [
  [/^(eur|euros?|usd|dollars?|gbp|pounds?|chf|jpy|yen|cad|aud|cny|sek|nok|dkk|pln|inr|brl)$/, 'double'],
  [/^(kg|g|mg|grams?|kilograms?|kilos?|tons?|tonnes?|lbs?|oz|ounces?)$/, 'double'],
  [/^(km|m|cm|mm|meters?|metres?|kilometers?|kilometres?|miles?|feet|ft|inch|inches|yards?)$/, 'double'],
  [/^(l|ml|cl|liters?|litres?|gallons?|m2|m3|sqm|hectares?|acres?)$/, 'double'],
  [/^(celsius|fahrenheit|kelvin|degrees?|percent|pct|ppm|bar|hpa|db|hz|khz|mhz|ghz)$/, 'double'],
  [/^(w|kw|kwh|mwh|wh|v|volts?|amps?|watts?|joules?|calories|kcal|kmh|mph|knots|kph)$/, 'double'],
  [/^(ms|milliseconds?|seconds?|minutes?|hours?|days?|weeks?|months?|years?)$/, 'integer'],
  [/^(bytes?|kb|mb|gb|tb|pixels?|px|pages?|points?|cents?|units?|pieces?|people|persons?)$/, 'integer'],
];

/** The type that a phrase suggests; the first match decides. */
export const MEANINGS: readonly [RegExp, ColumnTypeName][] = [
  [/^(is|has|was|were|can|should|did|does|needs|est|a ete) /, 'boolean'],
  [/^whether /, 'boolean'],
  [/^(number|count|nb|nombre|amount|quantity|quantite) (of|de|d) /, 'integer'],
  [/^(date|day|jour) (of|de|d) /, 'date'],
  [/^(time|moment|heure) (of|de|d) /, 'datetime'],
  [/^(list|array|set|liste) (of|de|d) /, 'array'],
  [/(^| )(timestamp|datetime|date time|date and time|date heure)$/, 'datetime'],
  [/ at$/, 'datetime'],
  [/^last (login|seen|sign in|activity|contact(ed)?|update)$/, 'datetime'],
  [/(^| )(date|day|birthday|birthdate|dob|deadline|anniversary|due|echeance)$/, 'date'],
  [/(^| )on$/, 'date'],
  [/^(date) /, 'date'],
  [/(^| )(tags|labels|keywords|skills|genres|languages|categories|ingredients|allergens|aliases)$/, 'array'],
  [/(^| )(interests|hobbies|topics|amenities|features|authors|emails|phones|mots cles|etiquettes)$/, 'array'],
  [/(^| )(metadata|json|settings|preferences|payload|attributes|options|properties|dimensions)$/, 'json'],
  [/(^| )(coordinates|geolocation|geojson|configuration|config|custom fields|parametres)$/, 'json'],
  [/(^| )(price|cost|amount|total|subtotal|revenue|turnover|salary|wage|income|budget|fee|fees)$/, 'double'],
  [/(^| )(balance|discount|tax|vat|profit|margin|spend|spent|sales|value|worth|expense|expenses)$/, 'double'],
  [/(^| )(prix|montant|cout|salaire|solde|remise|chiffre d affaires|tva|valeur)$/, 'double'],
  [/^(annual|monthly|yearly|total|net|gross) (revenue|sales|income|cost)/, 'double'],
  [/(^| )(weight|height|width|length|depth|distance|area|volume|surface|diameter|altitude|size)$/, 'double'],
  [
    /(^| )(temperature|humidity|pressure|speed|voltage|power|energy|ph|latitude|longitude|lat|lng)$/,
    'double',
  ],
  [
    /(^| )(rating|rate|ratio|percentage|percent|share|probability|average|mean|score|gpa|abv|note)$/,
    'double',
  ],
  [/(^| )(poids|taille|hauteur|largeur|longueur|superficie|vitesse|taux|moyenne|pourcentage)$/, 'double'],
  [/(^| )(age|quantity|qty|stock|count|year|rank|position|floor|pages|population|headcount)$/, 'integer'],
  [
    /(^| )(seats|capacity|attendees|employees|followers|views|likes|visits|points|level|priority)$/,
    'integer',
  ],
  [
    /(^| )(duration|minutes|hours|days|mileage|bedrooms|bathrooms|rooms|servings|goals|wins|losses)$/,
    'integer',
  ],
  [/(^| )(annee|quantite|effectif|etage|rang|nombre|duree|places)$/, 'integer'],
  [/^(active|enabled|disabled|verified|archived|completed|done|paid|available|public|private)$/, 'boolean'],
  [
    /^(published|in stock|sold|opt in|newsletter|vegan|vegetarian|remote|actif|active|paye|disponible)$/,
    'boolean',
  ],
  [/ (enabled|required|flag|opt in)$/, 'boolean'],
];

/** Columns that identify records of any kind. */
export const IDENTITIES = /^(id|uuid|guid|slug|iban|vin|imei|doi|username|user_name|login)$/;

/** Columns that identify records of one kind only: an e-mail address identifies a customer, but not an order. */
export const IDENTITIES_OF: readonly [RegExp, RegExp][] = [
  [
    /^(customer|client|contact|lead|person|people|user|member|subscriber|employee|staff|student|patient)s?$/,
    /^(email|e_mail|email_address|ssn|passport_number)$/,
  ],
  [
    /^(product|item|article|good|part|produit|inventory)s?$/,
    /^(sku|ean|gtin|barcode|serial_number|code|part_number)$/,
  ],
  [/^(book|livre)s?$/, /^(isbn|isbn_?1[03]|ean)$/],
  [/^(vehicle|car|truck|bike)s?$/, /^(license_plate|serial_number)$/],
  [/^(company|companies|supplier|vendor|entreprise)s?$/, /^(siret|siren|vat_number|duns)$/],
];

/** Endings of a column with the number of the record itself, such as `order_number` in orders. */
export const OWN_NUMBER = /_(id|uuid|number|no|ref|reference|code)$/;

/** Columns that are suggested as unique if all values in the samples differ. */
export const LIKELY_IDENTITIES =
  /^(e_?mail|email_address|sku|isbn|isbn_?1[03]|ean|gtin|barcode|serial_number|license_plate|siret|siren|ssn|code|key|number|reference|ref)$/;

/** Usual fields, for a description that names what the records are about but no field. */
export const TOPICS: readonly [RegExp, string][] = [
  [
    /^(customer|client|contact|lead|person|people|user|member|subscriber|guest)s?$/,
    'name, email, phone, city, country',
  ],
  [/^(product|item|article|good|produit)s?$/, 'name, sku, category, price, stock, tags'],
  [/^(order|purchase|sale|commande)s?$/, 'order number, customer, order date, status, total'],
  [/^(invoice|bill|facture)s?$/, 'invoice number, customer, issue date, due date, total, paid'],
  [/^(book|livre)s?$/, 'title, author, isbn, year, pages, genres'],
  [/^(movie|film|song|album|game)s?$/, 'title, genres, year, rating, duration'],
  [/^(task|todo|issue|ticket|bug|tache)s?$/, 'title, status, priority, assignee, due date, tags'],
  [
    /^(event|meeting|appointment|booking|reservation|evenement)s?$/,
    'title, starts at, ends at, location, attendees',
  ],
  [/^(employee|staff|worker|employe)s?$/, 'name, email, job title, department, salary, hire date'],
  [
    /^(company|companies|supplier|vendor|account|partner|entreprise|fournisseur)s?$/,
    'name, website, industry, country, employees, annual revenue',
  ],
  [/^(expense|payment|transaction|depense|paiement)s?$/, 'description, category, amount, currency, date'],
  [/^(recipe|recette)s?$/, 'title, ingredients, servings, duration in minutes, instructions'],
  [/^(measurement|reading|sensor|metric)s?$/, 'device, measured at, value, unit'],
  [/^(review|survey|feedback|comment|avis)s?$/, 'author, rating, comment, submitted at'],
  [
    /^(house|home|property|properties|apartment|listing|flat)s?$/,
    'address, city, price, bedrooms, area in m2, available',
  ],
];
