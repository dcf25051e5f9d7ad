import type { Field } from './fields.js';
import type { Language } from './tokenize.js';

/** Why a question is not answered, in both languages; thrown by any stage, told by the planner. */
export class Refusal extends Error {
  constructor(readonly reason: Readonly<Record<Language, string>>) {
    super(reason.en);
  }
}

function refuse(en: string, fr: string): never {
  throw new Refusal({ en, fr });
}

function list(fields: readonly Field[], word: string): string {
  const names = fields.filter(({ system }) => !system).map(({ name }) => `\`${name}\``);
  const shown = names.slice(0, 30).join(', ');
  return names.length > 30 ? `${shown}, ${word}` : shown;
}

export function refuseWord(text: string, fields: readonly Field[], like: readonly string[]): never {
  const meant = [...new Set(like)]
    .slice(0, 3)
    .map(value => `"${value}"`)
    .join(', ');
  refuse(
    `I do not understand "${text}" here.${meant && ` Is it ${meant}?`} The columns are ${list(fields, 'and more')}.`,
    `Je ne comprends pas « ${text} » ici.${meant && ` Est-ce ${meant} ?`} Les colonnes sont ${list(fields, 'etc.')}.`,
  );
}

export function refuseFields(text: string, fields: readonly Field[]): never {
  refuse(
    `"${text}" fits several columns: ${list(fields, 'and more')}. Name the one you mean.`,
    `« ${text} » peut désigner plusieurs colonnes : ${list(fields, 'etc.')}. Nommez celle que vous voulez.`,
  );
}

export function refuseUnsupported(text: string): never {
  refuse(
    `"${text}" is beyond what can be asked: counts, sums, averages, minima, maxima, groups, rankings and lists.`,
    `« ${text} » n'est pas possible : seuls le sont comptes, sommes, moyennes, minima, maxima, groupes, classements et listes.`,
  );
}

export function refuseKind(text: string, field: Field, fields: readonly Field[]): never {
  refuse(
    `"${text}" does not go with \`${field.name}\`. The columns are ${list(fields, 'and more')}.`,
    `« ${text} » ne convient pas à \`${field.name}\`. Les colonnes sont ${list(fields, 'etc.')}.`,
  );
}

export function refuseMissing(text: string, fields: readonly Field[]): never {
  refuse(
    `"${text}" of which column? There are ${list(fields, 'and more') || 'none that fit'}.`,
    `« ${text} » de quelle colonne ? Il y a ${list(fields, 'etc.') || "aucune colonne qui s'y prête"}.`,
  );
}

export function refuseValue(text: string, field: Field, values: readonly string[]): never {
  const known = values
    .slice(0, 8)
    .map(value => `"${value}"`)
    .join(', ');
  refuse(
    `"${text}" is no value of \`${field.name}\` that I know.${known && ` There are for example ${known}.`} Put it in quotes to ask for it all the same.`,
    `« ${text} » n'est pas une valeur connue de \`${field.name}\`.${known && ` Il y a par exemple ${known}.`} Mettez-la entre guillemets pour la chercher quand même.`,
  );
}

export function refuseMixedLogic(): never {
  refuse(
    'It is not clear which conditions the "or" joins. Ask two questions, or join the values of one column only.',
    "On ne sait pas quelles conditions le « ou » relie. Posez deux questions, ou ne reliez que des valeurs d'une même colonne.",
  );
}

export function refuseContradiction(name: string): never {
  refuse(
    `No record can have two values of \`${name}\` at once. Join them with "or" to find either.`,
    `Aucune fiche ne peut avoir deux valeurs de \`${name}\` à la fois. Reliez-les par « ou » pour trouver l'une ou l'autre.`,
  );
}

export function refuseEachOrAll(number: string, group: string): never {
  refuse(
    `Is \`${number}\` compared in one record or added up for each \`${group}\`? Say "with a total ${number}" or name the records.`,
    `Faut-il comparer \`${number}\` dans une fiche ou au total de chaque \`${group}\` ? Demandez « avec un total de ${number} » ou nommez les fiches.`,
  );
}

export function refuseSomeOrAll(group: string): never {
  refuse(
    `Is that said of some records of a \`${group}\`, or of all of them? Ask for the records, or for how many there are by \`${group}\`.`,
    `Est-ce le cas de certaines fiches d'un \`${group}\`, ou de toutes ? Demandez les fiches, ou leur nombre par \`${group}\`.`,
  );
}

export function refuseBestOfEach(group: string): never {
  refuse(
    `The first records of each \`${group}\` are beyond what can be asked. Ask for the largest figure by \`${group}\`, or for one \`${group}\` at a time.`,
    `Les premières fiches de chaque \`${group}\` ne peuvent être demandées. Demandez le plus grand chiffre par \`${group}\`, ou un seul \`${group}\` à la fois.`,
  );
}

export function refuseLength(most: number): never {
  refuse(
    `A question of more than ${most} words is not understood.`,
    `Une question de plus de ${most} mots n'est pas comprise.`,
  );
}

export function refuseUnit(text: string, field: Field): never {
  refuse(
    `Whether \`${field.name}\` is kept in ${text} cannot be seen from its name. Ask without the unit.`,
    `Le nom de \`${field.name}\` ne dit pas si l'unité est ${text}. Posez la question sans l'unité.`,
  );
}

export function refuseCalendarGroup(text: string): never {
  refuse(
    `Groups by ${text} go with a count or figures and conditions only: with no other groups, rankings or lists. Ask for one period at a time, such as "in March 2025".`,
    `Les groupes par ${text} ne vont qu'avec un compte ou des chiffres et des conditions. Demandez une période à la fois, comme « en mars 2025 ».`,
  );
}

export function refuseManyGroups(text: string, most: number): never {
  refuse(
    `These would be more than ${most} groups by ${text}, or of too long a time. Name the time, such as "in 2025".`,
    `Cela ferait plus de ${most} groupes par ${text}, ou une période trop longue. Précisez la période, comme « en 2025 ».`,
  );
}

/** Of any time, or of the one that was named. */
export function refuseNoDates({ name }: Field, named: boolean): never {
  refuse(
    `No record has a date in \`${name}\`${named ? ' at that time' : ''}.`,
    `Aucune fiche n'a de date dans \`${name}\`${named ? ' à ce moment' : ''}.`,
  );
}

export function refuseYear(text: string): never {
  refuse(
    `Of which year is "${text}"? Say it, as in "March 2025".`,
    `De quelle année est « ${text} » ? Dites-la, comme dans « mars 2025 ».`,
  );
}

export function refuseWhole(text: string): never {
  refuse(
    `"${text}" of what? Say it as "what percentage of [records] is [condition]", or "share of [sum] from [value]".`,
    `« ${text} » de quoi ? Dites-le comme « quel pourcentage des [fiches] est [condition] ».`,
  );
}

export function refuseComparison(text: string): never {
  refuse(
    `What "${text}" compares is not clear. Name two values of one column or two periods, such as "more orders in March than in February", or "average price in Paris vs Lyon".`,
    `On ne voit pas ce que « ${text} » compare. Nommez deux valeurs d'une colonne ou deux périodes, comme « comparer les commandes en mars et en février ».`,
  );
}

export function refuseDoer(text: string, fields: readonly Field[]): never {
  const people = fields.filter(({ kind }) => kind === 'text');
  refuse(
    `It is not clear who did that: "${text}". Name the column: ${list(people, 'and more')}.`,
    `On ne voit pas qui l'a fait : « ${text} ». Nommez la colonne : ${list(people, 'etc.')}.`,
  );
}

export function refusePieces(fields: readonly Field[]): never {
  refuse(
    `How many records, or the sum of ${list(fields, 'and more')}? Name one of them.`,
    `Combien de fiches, ou la somme de ${list(fields, 'etc.')} ? Nommez l'un des deux.`,
  );
}

export function refuseMost(text: string, fields: readonly Field[]): never {
  refuse(
    `"${text}" by the number of records${fields.length > 0 ? `, or by the sum of ${list(fields, 'and more')}` : ''}? Say it, as in "the most records".`,
    `« ${text} » par le nombre de fiches${fields.length > 0 ? `, ou par la somme de ${list(fields, 'etc.')}` : ''} ? Précisez-le.`,
  );
}

export function refuseZeroOrNone(field: Field): never {
  refuse(
    `With or without \`${field.name}\` may be about 0 or about no value. Ask "${field.name} is 0" or "${field.name} is empty".`,
    `Avec ou sans \`${field.name}\` peut concerner 0 ou l'absence de valeur. Demandez « ${field.name} = 0 » ou « ${field.name} vide ».`,
  );
}

export function refuseLimit(most: number): never {
  refuse(`At most ${most} can be shown.`, `On ne peut en montrer que ${most} au plus.`);
}

export function refusePurpose(text: string): never {
  refuse(
    `I do not see what is to be done with "${text}": count, sum, average, minimum, maximum, list?`,
    `Je ne vois pas que faire de « ${text} » : compte, somme, moyenne, minimum, maximum, liste ?`,
  );
}

export function refuseQuestion(fields: readonly Field[]): never {
  refuse(
    `I do not see what is asked for. Ask how many, or for a sum, an average, a list. The columns are ${list(fields, 'and more')}.`,
    `Je ne vois pas ce qui est demandé. Demandez combien, une somme, une moyenne, une liste. Les colonnes sont ${list(fields, 'etc.')}.`,
  );
}
