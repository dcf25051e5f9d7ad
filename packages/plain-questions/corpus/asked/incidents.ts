import { type Case, count, days, figures, list, refused, values } from '../plans.js';

const PRESENT = { $ne: null };
const NO_TEXT = { $in: [null, ''] };

export const INCIDENT_QUESTIONS: readonly Case[] = [
  // counts
  ['How many incidents are open?', count({ status: 'open' })],
  ['How many critical incidents are there?', count({ severity: 'critical' })],
  ['How many open critical incidents?', count({ status: 'open', severity: 'critical' })],
  ['How many incidents are open or in progress?', count({ status: { $in: ['open', 'in progress'] } })],
  [
    'How many high and critical incidents in the EU?',
    count({ severity: { $in: ['high', 'critical'] }, region: 'EU' }),
  ],
  ['How many tickets are closed?', count({ status: 'closed' })],
  ['How many incidents are not resolved or closed?', count({ status: { $nin: ['resolved', 'closed'] } })],
  ['How many incidents are assigned to Fatou?', count({ assigned_to: 'Fatou' })],
  ['How many incidents were reported by Monitoring?', count({ reported_by: 'Monitoring' })],
  ['How many incidents by Dana?', refused],
  [
    'How many incidents reported by Dana are assigned to Eli?',
    count({ reported_by: 'Dana', assigned_to: 'Eli' }),
  ],
  ['How many incidents are not assigned?', count({ assigned_to: NO_TEXT })],
  ['How many incidents have no root cause?', count({ root_cause: NO_TEXT })],
  ['How many incidents without an assignee?', count({ assigned_to: NO_TEXT })],
  ['How many incidents breached the SLA?', count({ sla_breached: true })],
  ['How many incidents with sla breached?', count({ sla_breached: true })],
  ['How many incidents have priority 1?', count({ priority: 1 })],
  ['How many incidents with priority 1 or 2?', count({ priority: { $in: [1, 2] } })],
  ['How many incidents with priority above 2', count({ priority: { $gt: 2 } })],
  ['How many incidents affected more than 1000 users?', count({ affected_users: { $gt: 1000 } })],
  ['How many incidents had more than 2000 affected users?', count({ affected_users: { $gt: 2000 } })],
  ['How many incidents with a downtime over 60 minutes?', count({ downtime_minutes: { $gt: 60 } })],
  ['How many incidents with downtime over 2 hours?', refused],
  ['How many incidents cost more than 5,000 euros?', count({ cost_eur: { $gt: 5000 } })],
  ['How many incidents cost more than $5,000?', refused],
  ['How many incidents with zero downtime?', count({ downtime_minutes: 0 })],
  ['How many incidents have downtime = 0?', count({ downtime_minutes: 0 })],
  ['How many incidents with customer impact?', count({ customer_impact: true })],
  ['How many email gateway incidents?', count({ service: 'email gateway' })],
  [
    'How many incidents on payments or search in US?',
    count({ service: { $in: ['payments', 'search'] }, region: 'US' }),
  ],
  ['How many incidents were caused by human error?', refused],
  ['How many incidents with root cause human error?', count({ root_cause: 'human error' })],
  ['How many incidents excluding low severity?', count({ severity: { $ne: 'low' } })],
  [
    'How many incidents are critical or cost more than 9000 euros?',
    count({ $or: [{ severity: 'critical' }, { cost_eur: { $gt: 9000 } }] }),
  ],
  // time
  ['How many incidents were opened last month?', count({ opened_at: days('2026-05-01', '2026-06-01') })],
  ['How many incidents were resolved this week?', count({ resolved_at: days('2026-06-15', '2026-06-22') })],
  [
    'How many incidents were opened in the last 30 days?',
    count({ opened_at: days('2026-05-19', '2026-06-18') }),
  ],
  ['How many incidents opened yesterday?', count({ opened_at: days('2026-06-16', '2026-06-17') })],
  [
    'How many incidents were opened between 1 January 2026 and 31 March 2026?',
    count({ opened_at: days('2026-01-01', '2026-04-01') }),
  ],
  ['How many incidents were opened before 2025 and not resolved?', refused],
  ['How many incidents last month?', refused],
  ['How many incidents were opened in Q2 2026?', count({ opened_at: days('2026-04-01', '2026-07-01') })],
  [
    'How many critical incidents were opened this year?',
    count({ severity: 'critical', opened_at: days('2026-01-01', '2027-01-01') }),
  ],
  ['How many incidents have no resolved date?', count({ resolved_at: null })],
  // figures
  ['What is the average resolution time?', figures('avg resolution_hours')],
  [
    'Average resolution hours by severity',
    figures('avg resolution_hours', undefined, { group_by: 'severity' }),
  ],
  [
    'What is the total downtime per service?',
    figures('sum downtime_minutes', undefined, { group_by: 'service' }),
  ],
  [
    'total cost of critical incidents in the EU',
    figures('sum cost_eur', { severity: 'critical', region: 'EU' }),
  ],
  ['What is the maximum number of affected users?', figures('max affected_users')],
  ['What is the maximum downtime for login?', figures('max downtime_minutes', { service: 'login' })],
  ['How much did the incidents in APAC cost?', figures('sum cost_eur, count', { region: 'APAC' })],
  [
    'average cost and total downtime by region',
    figures('avg cost_eur, sum downtime_minutes', undefined, { group_by: 'region' }),
  ],
  [
    'what is the mean cost of closed incidents per root cause',
    figures('avg cost_eur', { status: 'closed' }, { group_by: 'root_cause' }),
  ],
  ['lowest and highest cost', figures('min cost_eur, max cost_eur')],
  // groups, rankings
  [
    'Number of incidents by severity and status',
    figures('count', undefined, { group_by: ['severity', 'status'] }),
  ],
  ['How many incidents per service in the US?', figures('count', { region: 'US' }, { group_by: 'service' })],
  [
    'Which service has the most incidents?',
    figures('count', { service: PRESENT }, { group_by: 'service', sort: { count: -1 }, limit: 1 }),
  ],
  [
    'Which region has the highest total cost?',
    figures('sum cost_eur', undefined, { group_by: 'region', sort: { sum_cost_eur: -1 }, limit: 1 }),
  ],
  [
    'Top 2 services by downtime',
    figures('sum downtime_minutes', undefined, {
      group_by: 'service',
      sort: { sum_downtime_minutes: -1 },
      limit: 2,
    }),
  ],
  [
    'top 3 services by average resolution time',
    figures('avg resolution_hours', undefined, {
      group_by: 'service',
      sort: { avg_resolution_hours: -1 },
      limit: 3,
    }),
  ],
  [
    'Which assignees have more than 10 incidents?',
    figures('count', { assigned_to: PRESENT }, { group_by: 'assigned_to', having: { count: { $gt: 10 } } }),
  ],
  [
    'incidents by region sorted by count descending',
    figures('count', undefined, { group_by: 'region', sort: { count: -1 } }),
  ],
  ['Top 5 incidents by cost', list(undefined, { sort: { cost_eur: -1 }, limit: 5 })],
  [
    'Which incident has the longest resolution time?',
    list(undefined, { sort: { resolution_hours: -1 }, limit: 1 }),
  ],
  ['Which incident affected the most users?', list(undefined, { sort: { affected_users: -1 }, limit: 1 })],
  ['Show the latest incidents', refused],
  // lists
  ['List open incidents assigned to Gus', list({ status: 'open', assigned_to: 'Gus' })],
  [
    'show reference, title and severity of incidents in APAC',
    list({ region: 'APAC' }, { fields: ['reference', 'title', 'severity'] }),
  ],
  ['What is the status of incident INC-0042?', list({ reference: 'INC-0042' }, { fields: ['status'] })],
  ['Which incidents mention "mail" in the title?', refused],
  ['incidents whose title contains "mail"', list({ title: { $regex: 'mail', $options: 'i' } })],
  [
    'list critical incidents ordered by opened date descending',
    list({ severity: 'critical' }, { sort: { opened_at: -1 } }),
  ],
  ['Which services had critical incidents?', values('service', { severity: 'critical' })],
  ['What root causes are there?', refused],
  ['How many different services were affected?', refused],
  // French
  ["Combien d'incidents sont ouverts ?", count({ status: 'open' })],
  ["Combien d'incidents critiques ?", count({ severity: 'critical' })],
  ["Combien d'incidents ne sont pas fermés ?", count({ status: { $ne: 'closed' } })],
  ["Combien d'incidents par gravité ?", figures('count', undefined, { group_by: 'severity' })],
  ["Combien d'incidents de priorité 1 ?", count({ priority: 1 })],
  ["Nombre d'incidents assignés à Dana", count({ assigned_to: 'Dana' })],
  ['Quelle est la durée moyenne de résolution par service ?', refused],
  ['Quel est le coût total par région ?', figures('sum cost_eur', undefined, { group_by: 'region' })],
  [
    "Quel service a le plus d'incidents ?",
    figures('count', { service: PRESENT }, { group_by: 'service', sort: { count: -1 }, limit: 1 }),
  ],
  ["Quel est l'incident avec le coût le plus élevé ?", list(undefined, { sort: { cost_eur: -1 }, limit: 1 })],
  ['Liste des incidents ouverts en Europe', refused],
  ['Coût moyen des incidents critiques', figures('avg cost_eur', { severity: 'critical' })],
  ['Combien de tickets en cours ?', count({ status: 'in progress' })],
  // beyond
  ['What is the trend of incidents?', refused],
  ['Are we getting better?', refused],
  ['How many P1 incidents?', refused],
  ['How many incidents during the night shift?', refused],
  ['Which team is the slowest?', refused],
  ['average severity', refused],
  ['Close all open incidents', refused],
  // asked without looking at the rules
  ['How many unresolved incidents do we have?', refused],
  ['What was the most expensive incident?', list(undefined, { sort: { cost_eur: -1 }, limit: 1 })],
  ['List incidents with priority 1 that are still open', list({ priority: 1, status: 'open' })],
  [
    'Which engineer resolved the most incidents?',
    figures(
      'count',
      { status: 'resolved', assigned_to: PRESENT },
      { group_by: 'assigned_to', sort: { count: -1 }, limit: 1 },
    ),
  ],
  [
    'average time to resolution for critical incidents',
    figures('avg resolution_hours', { severity: 'critical' }),
  ],
  ['How many incidents did Helga report?', count({ reported_by: 'Helga' })],
  ['How many incidents happened today?', refused],
  [
    'Total cost by service, sorted by cost descending',
    figures('sum cost_eur', undefined, { group_by: 'service', sort: { sum_cost_eur: -1 } }),
  ],
  [
    'Are there any critical incidents without root cause?',
    count({ severity: 'critical', root_cause: NO_TEXT }),
  ],
  ['What is the average number of affected users per incident?', figures('avg affected_users')],
  [
    'average affected users by service for incidents opened since January 2026',
    figures('avg affected_users', { opened_at: { $gte: '2026-01-01' } }, { group_by: 'service' }),
  ],
  ['Give me all SLA breached incidents in APAC', list({ sla_breached: true, region: 'APAC' })],
  ["Combien d'incidents critiques ouverts depuis lundi ?", refused],
  ['Quels incidents ont duré plus de 3 heures ?', refused],
  ['Répartition des incidents par région', figures('count', undefined, { group_by: 'region' })],
  ["Combien d'incidents n'ont pas de cause ?", count({ root_cause: NO_TEXT })],
  ['Which regions had more than 20 incidents in 2026?', refused],
  [
    'How many incidents per severity were opened in 2025?',
    figures('count', { opened_at: days('2025-01-01', '2026-01-01') }, { group_by: 'severity' }),
  ],
  ['What is the longest downtime?', figures('max downtime_minutes')],
  ['Which incidents are assigned to Dana and still open?', list({ assigned_to: 'Dana', status: 'open' })],
  [
    'average resolution hours for high severity incidents in the US region',
    figures('avg resolution_hours', { severity: 'high', region: 'US' }),
  ],
  [
    'sum of cost by region and service, highest first',
    figures('sum cost_eur', undefined, { group_by: ['region', 'service'], sort: { sum_cost_eur: -1 } }),
  ],
  ['how many incidents are not critical', count({ severity: { $ne: 'critical' } })],
  [
    'How many incidents have more than 100 affected users and less than 30 minutes of downtime?',
    count({ affected_users: { $gt: 100 }, downtime_minutes: { $lt: 30 } }),
  ],
  ['incidents between priority 2 and 3', refused],
  ['How many incidents have priority between 2 and 3?', count({ priority: { $gte: 2, $lte: 3 } })],
  ['top 3 root causes', refused],
  [
    'What are the top 3 root causes by number of incidents?',
    figures('count', { root_cause: PRESENT }, { group_by: 'root_cause', sort: { count: -1 }, limit: 3 }),
  ],
  [
    "Combien d'incidents ont été résolus en mai 2026 ?",
    count({ resolved_at: days('2026-05-01', '2026-06-01') }),
  ],
  [
    'Quel est le temps de résolution moyen par service ?',
    figures('avg resolution_hours', undefined, { group_by: 'service' }),
  ],
  ['Liste des incidents critiques non assignés', list({ severity: 'critical', assigned_to: NO_TEXT })],
  // where one figure could be meant for another
  ['How many incidents are open and closed?', count({ status: { $in: ['open', 'closed'] } })],
  ['incidents opened by Dana last month', refused],
  ['Which service is down?', refused],
  ['How many incidents took longer than 24 hours to resolve?', refused],
  ['How many incidents with resolution hours over 24?', count({ resolution_hours: { $gt: 24 } })],
  [
    'Which service has the highest average cost for critical incidents?',
    figures(
      'avg cost_eur',
      { severity: 'critical', service: PRESENT },
      { group_by: 'service', sort: { avg_cost_eur: -1 }, limit: 1 },
    ),
  ],
  ['median resolution time', refused],
  ['incidents not opened this year', list({ opened_at: { $not: days('2026-01-01', '2027-01-01') } })],
  ['How many incidents cost nothing?', refused],
  ['highest priority incidents', refused],
  ['latest opened incident', list({ opened_at: PRESENT }, { sort: { opened_at: -1 }, limit: 1 })],
  ['incidents resolved in less than 4 hours', refused],
  ['how many incidents were closed in May', refused],
];
