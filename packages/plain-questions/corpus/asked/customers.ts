import { type Case, count, days, figures, list, refused } from '../plans.js';

const PRESENT = { $ne: null };
const NO_TEXT = { $in: [null, ''] };

/** Asked of a collection that no rule was written for. */
export const CUSTOMER_QUESTIONS: readonly Case[] = [
  ['How many customers are on the pro plan?', count({ plan: 'pro' })],
  ['How many clients do we have in Japan?', count({ country: 'Japan' })],
  ['Total MRR by plan', figures('sum mrr', undefined, { group_by: 'plan' })],
  ['What is our total MRR?', figures('sum mrr')],
  ['average number of seats per industry', figures('avg seats', undefined, { group_by: 'industry' })],
  ['Which customers signed up last month?', list({ signup_date: days('2026-05-01', '2026-06-01') })],
  ['How many customers signed up in 2025?', count({ signup_date: days('2025-01-01', '2026-01-01') })],
  ['How many trial customers?', count({ is_trial: true })],
  ['How many customers are not on trial?', count({ is_trial: false })],
  ['Top 10 customers by MRR', list(undefined, { sort: { mrr: -1 }, limit: 10 })],
  [
    'Which industry has the highest average MRR?',
    figures('avg mrr', undefined, { group_by: 'industry', sort: { avg_mrr: -1 }, limit: 1 }),
  ],
  ['customers without an account manager', list({ account_manager: NO_TEXT })],
  ['How many customers have no contact email?', count({ contact_email: NO_TEXT })],
  ['How many customers churned in May 2026?', count({ churned_at: days('2026-05-01', '2026-06-01') })],
  ['How many customers churned?', refused],
  ['How many customers have not churned?', count({ churned_at: null })],
  ['What is the churn rate?', refused],
  [
    'List enterprise customers in New York with more than 100 seats',
    list({ plan: 'enterprise', city: 'New York', seats: { $gt: 100 } }),
  ],
  [
    'company name and MRR of customers managed by Tom Hill',
    list({ account_manager: 'Tom Hill' }, { fields: ['companyName', 'mrr'] }),
  ],
  [
    'Show the company name and MRR of customers in France',
    list({ country: 'France' }, { fields: ['companyName', 'mrr'] }),
  ],
  [
    'How many customers does each account manager have?',
    figures('count', undefined, { group_by: 'account_manager' }),
  ],
  [
    'Which account manager has the most customers?',
    figures('count', undefined, {
      group_by: 'account_manager',
      sort: { count: -1 },
      limit: 1,
      filter: { account_manager: PRESENT },
    }),
  ],
  [
    'What is the average NPS score of health care customers?',
    figures('avg nps_score', { industry: 'Health Care' }),
  ],
  ['How many customers have an NPS score of 9 or 10?', count({ nps_score: { $in: [9, 10] } })],
  ['customers with an NPS below 5 in Brazil', list({ nps_score: { $lt: 5 }, country: 'Brazil' })],
  [
    'Which country generates the most MRR?',
    figures('sum mrr', undefined, { group_by: 'country', sort: { sum_mrr: -1 }, limit: 1 }),
  ],
  [
    'How many customers signed up this year by country?',
    figures('count', { signup_date: days('2026-01-01', '2027-01-01') }, { group_by: 'country' }),
  ],
  ['Who are the newest customers?', refused],
  ['What is the email of Company 7?', list({ companyName: 'Company 7' }, { fields: ['contact_email'] })],
  ['Combien de clients au Japon ?', count({ country: 'Japan' })],
  ['Combien de clients par secteur ?', figures('count', undefined, { group_by: 'industry' })],
  ['Combien de clients par pays ?', figures('count', undefined, { group_by: 'country' })],
  ["Quels clients n'ont pas de responsable de compte ?", list({ account_manager: NO_TEXT })],
  ['Quel est le MRR moyen des clients en France ?', figures('avg mrr', { country: 'France' })],
  ['Combien de clients inscrits en 2025 ?', count({ signup_date: days('2025-01-01', '2026-01-01') })],
  ['Liste des clients avec plus de 150 seats', list({ seats: { $gt: 150 } })],
  ['What is the revenue per customer?', refused],
  ['smallest customer', refused],
  [
    'How many customers in the banking industry have over 50 seats?',
    count({ industry: 'Banking', seats: { $gt: 50 } }),
  ],
  ['customers that are on the free or pro plan', list({ plan: { $in: ['free', 'pro'] } })],
  ['How many customers are neither free nor pro?', refused],
  ['sum of seats', figures('sum seats')],
  ['How many seats do we have?', refused],
];
