import { type Case, count, days, figures, list, refused, values } from './plans.js';

const PRESENT = { $ne: null };
const NO_TEXT = { $in: [null, ''] };

export const ORDER_QUESTIONS: readonly Case[] = [
  // counts
  ['How many orders are there?', count()],
  ['how many orders do we have in France', count({ country: 'France' })],
  ['Number of cancelled orders', count({ status: 'cancelled' })],
  ['How many orders were placed by Acme Corp?', count({ customer: 'Acme Corp' })],
  ['Count the orders from Germany or Spain', count({ country: { $in: ['Germany', 'Spain'] } })],
  ['How many orders from France and Germany?', count({ country: { $in: ['France', 'Germany'] } })],
  ['How many orders are not cancelled?', count({ status: { $ne: 'cancelled' } })],
  ['how many orders are neither shipped nor cancelled', refused],
  ['How many gift orders?', count({ is_gift: true })],
  ['How many orders are not gifts?', count({ is_gift: false })],
  ['How many orders are in progress?', count({ status: 'in_progress' })],
  ['how many orders have a discount percent above 10?', count({ discount_percent: { $gt: 10 } })],
  [
    'How many orders over 500 euros were paid by credit card?',
    count({ total_amount: { $gt: 500 }, payment_method: 'credit card' }),
  ],
  [
    'How many orders have a total amount between 100 and 500?',
    count({ total_amount: { $gte: 100, $lte: 500 } }),
  ],
  ['how many orders with more than 5 items?', refused],
  ['How many orders with a quantity of at least 10?', count({ quantity: { $gte: 10 } })],
  ['How many orders have quantity 3?', count({ quantity: 3 })],
  ['How many orders without notes?', count({ notes: NO_TEXT })],
  ['How many orders have notes?', count({ notes: { $nin: [null, ''] } })],
  ['How many orders have no coupon code?', count({ coupon_code: NO_TEXT })],
  ['How many orders used the coupon code SPRING?', refused],
  ['How many orders with coupon code SPRING?', count({ coupon_code: 'SPRING' })],
  ['How many urgent orders are there?', count({ tags: 'urgent' })],
  ['How many orders tagged urgent and fragile?', refused],
  ['How many orders with tags urgent and fragile?', count({ tags: { $all: ['urgent', 'fragile'] } })],
  ['Are there any pending orders in Madrid?', count({ status: 'pending', city: 'Madrid' })],
  [
    'How many orders in Paris or over 1000 euros?',
    count({ $or: [{ city: 'Paris' }, { total_amount: { $gt: 1000 } }] }),
  ],
  ['How many pending orders in Paris or over 1000 euros?', refused],
  ['How many orders were shipped without notes?', count({ status: 'shipped', notes: NO_TEXT })],
  // time
  ['How many orders today?', count({ order_date: days('2026-06-17', '2026-06-18') })],
  ['how many orders yesterday', count({ order_date: days('2026-06-16', '2026-06-17') })],
  ['How many orders were placed this week?', count({ order_date: days('2026-06-15', '2026-06-22') })],
  ['How many orders last month?', count({ order_date: days('2026-05-01', '2026-06-01') })],
  ['How many orders this quarter?', count({ order_date: days('2026-04-01', '2026-07-01') })],
  ['How many orders in 2025?', count({ order_date: days('2025-01-01', '2026-01-01') })],
  ['How many orders in March 2026?', count({ order_date: days('2026-03-01', '2026-04-01') })],
  ['How many orders since 1 May 2026?', count({ order_date: { $gte: '2026-05-01' } })],
  ['How many orders before 2025?', count({ order_date: { $lt: '2025-01-01' } })],
  ['How many orders after May 15, 2026?', count({ order_date: { $gte: '2026-05-16' } })],
  [
    'How many orders between 2026-01-01 and 2026-03-31?',
    count({ order_date: days('2026-01-01', '2026-04-01') }),
  ],
  ['How many orders in the last 7 days?', count({ order_date: days('2026-06-11', '2026-06-18') })],
  ['How many orders in Q1 2026?', count({ order_date: days('2026-01-01', '2026-04-01') })],
  ['How many orders were shipped in May 2026?', count({ shipped_at: days('2026-05-01', '2026-06-01') })],
  ['How many orders with shipped at in May 2026?', count({ shipped_at: days('2026-05-01', '2026-06-01') })],
  ['How many orders on 03/04/2026?', refused],
  ['How many orders per month in 2025?', refused],
  [
    'Orders per day this month',
    figures('count', { order_date: days('2026-06-01', '2026-07-01') }, { group_by: 'order_date' }),
  ],
  // figures
  ['What is the total amount of all orders?', figures('sum total_amount')],
  ['What is our total revenue in France?', figures('sum total_amount', { country: 'France' })],
  [
    'How much revenue did we make last month?',
    figures('sum total_amount, count', { order_date: days('2026-05-01', '2026-06-01') }),
  ],
  ['Total revenue by country', figures('sum total_amount', undefined, { group_by: 'country' })],
  [
    'total quantity per customer and country',
    figures('sum quantity', undefined, { group_by: ['customer', 'country'] }),
  ],
  ['What is the average order amount?', figures('avg total_amount')],
  [
    'Average total amount per payment method',
    figures('avg total_amount', undefined, { group_by: 'payment_method' }),
  ],
  ['average weight of orders', figures('avg weight_kg')],
  [
    'minimum and maximum total amount by country',
    figures('min total_amount, max total_amount', undefined, { group_by: 'country' }),
  ],
  ['What is the highest total amount in Germany?', figures('max total_amount', { country: 'Germany' })],
  ['What is the latest order date?', figures('max order_date')],
  ['average discount percent for delivered orders', figures('avg discount_percent', { status: 'delivered' })],
  ['sum of quantity for orders in Paris', figures('sum quantity', { city: 'Paris' })],
  [
    'average quantity and total revenue by sales rep',
    figures('avg quantity, sum total_amount', undefined, { group_by: 'sales_rep' }),
  ],
  ['How much did Acme Corp spend?', figures('sum total_amount, count', { customer: 'Acme Corp' })],
  // groups and rankings
  ['orders by status', figures('count', undefined, { group_by: 'status' })],
  ['How many orders per country?', figures('count', undefined, { group_by: 'country' })],
  ['How many orders does each customer have?', figures('count', undefined, { group_by: 'customer' })],
  [
    'Top 3 customers by revenue',
    figures(
      'sum total_amount',
      { customer: PRESENT },
      { group_by: 'customer', sort: { sum_total_amount: -1 }, limit: 3 },
    ),
  ],
  [
    'top 2 countries by number of orders',
    figures('count', { country: PRESENT }, { group_by: 'country', sort: { count: -1 }, limit: 2 }),
  ],
  [
    'Which customer has the most orders?',
    figures('count', { customer: PRESENT }, { group_by: 'customer', sort: { count: -1 }, limit: 1 }),
  ],
  [
    'Which customer spent the most in 2026?',
    figures(
      'sum total_amount',
      { order_date: days('2026-01-01', '2027-01-01') },
      { group_by: 'customer', sort: { sum_total_amount: -1 }, limit: 1 },
    ),
  ],
  [
    'Which country has the lowest average total amount?',
    figures('avg total_amount', undefined, { group_by: 'country', sort: { avg_total_amount: 1 }, limit: 1 }),
  ],
  [
    'Which customers have more than 10 orders?',
    figures('count', undefined, { group_by: 'customer', having: { count: { $gt: 10 } } }),
  ],
  [
    'customers with a total revenue above 8000',
    figures('sum total_amount', undefined, {
      group_by: 'customer',
      having: { sum_total_amount: { $gt: 8000 } },
    }),
  ],
  ['Top 5 orders by total amount', list(undefined, { sort: { total_amount: -1 }, limit: 5 })],
  [
    'Show the 3 largest orders in France',
    list({ country: 'France' }, { sort: { total_amount: -1 }, limit: 3 }),
  ],
  ['Show the last 5 orders', list({ order_date: PRESENT }, { sort: { order_date: -1 }, limit: 5 })],
  ['Which order has the highest total amount?', list(undefined, { sort: { total_amount: -1 }, limit: 1 })],
  ['Top customers', refused],
  // lists
  ['List all orders from Spain', list({ country: 'Spain' })],
  ['show me the pending orders over 1000 euros', list({ status: 'pending', total_amount: { $gt: 1000 } })],
  [
    'List customer and total amount of orders in London',
    list({ city: 'London' }, { fields: ['customer', 'total_amount'] }),
  ],
  [
    'list orders in Berlin sorted by total amount descending',
    list({ city: 'Berlin' }, { sort: { total_amount: -1 } }),
  ],
  ['What is the status of order 1042?', list({ order_number: 1042 }, { fields: ['status'] })],
  ['orders whose notes contain "door 1"', list({ notes: { $regex: 'door 1', $options: 'i' } })],
  ['orders where customer starts with W', list({ customer: { $regex: '^W', $options: 'i' } })],
  ['Which countries do we have orders in?', values('country')],
  ['What are the different payment methods?', values('payment_method')],
  ['How many different customers do we have?', values('customer')],
  ['how many customers in France', values('customer', { country: 'France' })],
  // French
  ['Combien de commandes en France ?', count({ country: 'France' })],
  ['Combien de commandes ont été annulées ?', count({ status: 'cancelled' })],
  ['Combien de commandes ne sont pas annulées ?', count({ status: { $ne: 'cancelled' } })],
  [
    "Quel est le chiffre d'affaires total par pays ?",
    figures('sum total_amount', undefined, { group_by: 'country' }),
  ],
  [
    'Quel est le montant moyen des commandes en Allemagne ?',
    figures('avg total_amount', { country: 'Germany' }),
  ],
  ['Nombre de commandes par statut', figures('count', undefined, { group_by: 'status' })],
  ['Combien de commandes le mois dernier ?', count({ order_date: days('2026-05-01', '2026-06-01') })],
  ['Combien de commandes depuis le 1er mai 2026 ?', count({ order_date: { $gte: '2026-05-01' } })],
  [
    'Combien de commandes entre janvier et mars 2026 ?',
    count({ order_date: days('2026-01-01', '2026-04-01') }),
  ],
  ['Combien de commandes ces 30 derniers jours ?', count({ order_date: days('2026-05-19', '2026-06-18') })],
  [
    'Liste des commandes de plus de 1 500 euros à Paris',
    list({ city: 'Paris', total_amount: { $gt: 1500 } }),
  ],
  [
    'Les 5 commandes avec le montant le plus élevé',
    list(undefined, { sort: { total_amount: -1 }, limit: 5 }),
  ],
  [
    'Top 3 des clients par montant',
    figures(
      'sum total_amount',
      { customer: PRESENT },
      { group_by: 'customer', sort: { sum_total_amount: -1 }, limit: 3 },
    ),
  ],
  ['Combien de commandes sans note ?', count({ notes: NO_TEXT })],
  ['Combien de clients différents avons-nous ?', values('customer')],
  ['Quelle est la quantité totale commandée par Globex ?', figures('sum quantity', { customer: 'Globex' })],
  ['Quelle est la quantité totale pour Globex ?', figures('sum quantity', { customer: 'Globex' })],
  [
    'Quel client a le plus de commandes ?',
    figures('count', { customer: PRESENT }, { group_by: 'customer', sort: { count: -1 }, limit: 1 }),
  ],
  ['Combien de commandes payées par carte de crédit ?', refused],
  // beyond
  ['What percentage of orders is cancelled?', refused],
  ['What is the profit per country?', refused],
  ['What is the median total amount?', refused],
  ['How many orders from Atlantis?', refused],
  ['Will we sell more next year?', refused],
  ['Why were so many orders cancelled?', refused],
  ['How many late orders?', refused],
  ['total by country', refused],
  ['Delete all cancelled orders', refused],
  ['What is the average price?', refused],
  // asked without looking at the rules
  [
    'Give me the total sales for this year',
    figures('sum total_amount', { order_date: days('2026-01-01', '2027-01-01') }),
  ],
  ['How many deliveries were made in Lyon?', refused],
  ['What did Globex buy last month?', refused],
  [
    'revenue by sales rep in 2026',
    figures('sum total_amount', { order_date: days('2026-01-01', '2027-01-01') }, { group_by: 'sales_rep' }),
  ],
  [
    'Total revenue by sales rep in 2026',
    figures('sum total_amount', { order_date: days('2026-01-01', '2027-01-01') }, { group_by: 'sales_rep' }),
  ],
  [
    'Who are our top 3 customers by total amount?',
    figures(
      'sum total_amount',
      { customer: PRESENT },
      { group_by: 'customer', sort: { sum_total_amount: -1 }, limit: 3 },
    ),
  ],
  ['How many orders did Alice Martin handle?', count({ sales_rep: 'Alice Martin' })],
  [
    'Which sales rep sold the most?',
    figures(
      'sum total_amount',
      { sales_rep: PRESENT },
      { group_by: 'sales_rep', sort: { sum_total_amount: -1 }, limit: 1 },
    ),
  ],
  [
    'Which sales rep has the highest total revenue?',
    figures(
      'sum total_amount',
      { sales_rep: PRESENT },
      { group_by: 'sales_rep', sort: { sum_total_amount: -1 }, limit: 1 },
    ),
  ],
  ['List all unpaid orders', refused],
  [
    'how many orders were paid via PayPal this year',
    count({ payment_method: 'paypal', order_date: days('2026-01-01', '2027-01-01') }),
  ],
  [
    'average basket by country in 2025',
    figures('avg total_amount', { order_date: days('2025-01-01', '2026-01-01') }, { group_by: 'country' }),
  ],
  ['Orders with a discount of 15 percent', list({ discount_percent: 15 })],
  ['How many orders do not have a coupon?', count({ coupon_code: NO_TEXT })],
  ['Show me the biggest order ever', list(undefined, { sort: { total_amount: -1 }, limit: 1 })],
  ['What is the biggest order?', list(undefined, { sort: { total_amount: -1 }, limit: 1 })],
  ['how many orders weigh more than 10 kg', count({ weight_kg: { $gt: 10 } })],
  [
    'Which cities generate the most revenue?',
    figures('sum total_amount', undefined, { group_by: 'city', sort: { sum_total_amount: -1 } }),
  ],
  ['Number of orders per city in Germany', figures('count', { country: 'Germany' }, { group_by: 'city' })],
  [
    'Combien de commandes par mode de paiement ?',
    figures('count', undefined, { group_by: 'payment_method' }),
  ],
  [
    'Quel est le montant total des commandes livrées à Paris cette année ?',
    figures('sum total_amount', {
      status: 'delivered',
      city: 'Paris',
      order_date: days('2026-01-01', '2027-01-01'),
    }),
  ],
  ['Quelles commandes dépassent 1900 euros ?', list({ total_amount: { $gt: 1900 } })],
  [
    'Liste les 10 dernières commandes',
    list({ order_date: PRESENT }, { sort: { order_date: -1 }, limit: 10 }),
  ],
  [
    'How much did customers in Spain spend in 2025?',
    figures('sum total_amount, count', { country: 'Spain', order_date: days('2025-01-01', '2026-01-01') }),
  ],
  [
    'What were our sales in April 2026?',
    figures('sum total_amount', { order_date: days('2026-04-01', '2026-05-01') }),
  ],
  [
    'count orders where status is shipped and country is France',
    count({ status: 'shipped', country: 'France' }),
  ],
  [
    'number of orders with total amount greater than 1000 and quantity less than 5',
    count({ total_amount: { $gt: 1000 }, quantity: { $lt: 5 } }),
  ],
  ['which payment method is used most often', refused],
  [
    'which payment method has the fewest orders?',
    figures(
      'count',
      { payment_method: PRESENT },
      { group_by: 'payment_method', sort: { count: 1 }, limit: 1 },
    ),
  ],
  [
    'orders from last week that are still pending',
    list({ order_date: days('2026-06-08', '2026-06-15'), status: 'pending' }),
  ],
  ['Do we have any cancelled gift orders?', count({ status: 'cancelled', is_gift: true })],
  ['What is the average discount?', figures('avg discount_percent')],
  [
    'Show order number, customer and total amount for the 5 largest orders',
    list(undefined, {
      sort: { total_amount: -1 },
      limit: 5,
      fields: ['order_number', 'customer', 'total_amount'],
    }),
  ],
  ['list pending orders by order date', refused],
  [
    'How many orders are there per status and payment method?',
    figures('count', undefined, { group_by: ['status', 'payment_method'] }),
  ],
  ['Quelles sont les 3 villes avec le plus de commandes ?', refused],
  ['Quel est le panier moyen en France ?', figures('avg total_amount', { country: 'France' })],
  [
    'Combien de commandes expédiées ou livrées en Espagne ?',
    count({ status: { $in: ['shipped', 'delivered'] }, country: 'Spain' }),
  ],
  ['Commandes urgentes de plus de 1000 €', list({ tags: 'urgent', total_amount: { $gt: 1000 } })],
];
