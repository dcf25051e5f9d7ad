import type { ColumnType, Schema } from '../src/plan.js';

export type Row = Readonly<Record<string, unknown>>;

export interface Fixture {
  readonly outline: Schema;
  readonly rows: readonly Row[];
}

/** The day that "today" is in every question: a Wednesday. */
export const TODAY = new Date('2026-06-17T10:00:00Z');

const ROWS = 60;
const DAY = 86_400_000;

/** The same numbers in each run (a linear congruence, Numerical Recipes' constants). */
function dice(seed: number): (sides: number) => number {
  let state = seed;
  return sides => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return Math.floor((state / 2 ** 32) * sides);
  };
}

export function fixture(
  name: string,
  columns: Readonly<Record<string, ColumnType>>,
  flexibleFields: readonly string[],
  seed: number,
  row: (index: number, roll: (sides: number) => number) => Row,
): Fixture {
  const roll = dice(seed);
  const rows = Array.from({ length: ROWS }, (_, index) => {
    const created = instantAgo(roll(700), roll);
    return {
      _id: `id-${String(index).padStart(3, '0')}`,
      created_at: created,
      updated_at: created,
      ...row(index, roll),
    };
  });
  const listed = Object.entries(columns).map(([column, type]) => ({ name: column, type, nullable: true }));
  const outline = {
    name,
    description: null,
    columns: listed,
    flexibleFields,
    samples: rows.slice(0, 5),
    rowCount: ROWS,
  };
  return { outline, rows };
}

export function dayAgo(days: number): string {
  return new Date(TODAY.getTime() - days * DAY).toISOString().slice(0, 10);
}

export function instantAgo(days: number, roll: (sides: number) => number): string {
  return `${dayAgo(days)}T${String(roll(24)).padStart(2, '0')}:${String(roll(60)).padStart(2, '0')}:00.000Z`;
}

export function pick<Item>(items: readonly Item[], roll: (sides: number) => number): Item {
  return items[roll(items.length)]!;
}

/** Days ago: half of them within two months, so that "last week" finds something. */
function recent(roll: (sides: number) => number): number {
  return roll(2) === 0 ? roll(60) : roll(900);
}

const CITIES = {
  France: ['Paris', 'Lyon', 'Nice'],
  Germany: ['Berlin', 'Hamburg'],
  Spain: ['Madrid'],
  'United Kingdom': ['London'],
};
const COUNTRIES = Object.keys(CITIES) as (keyof typeof CITIES)[];

export const ORDERS = fixture(
  'orders',
  {
    order_number: 'integer',
    customer: 'text',
    status: 'text',
    total_amount: 'double',
    quantity: 'integer',
    discount_percent: 'double',
    country: 'text',
    city: 'text',
    order_date: 'date',
    shipped_at: 'datetime',
    is_gift: 'boolean',
    payment_method: 'text',
    sales_rep: 'text',
    tags: 'array',
    notes: 'text',
  },
  ['coupon_code', 'weight_kg'],
  11,
  (index, roll) => {
    const country = pick(COUNTRIES, roll);
    const status = pick(['pending', 'paid', 'shipped', 'delivered', 'cancelled', 'in_progress'], roll);
    const placed = index === 7 ? 0 : index === 9 ? 1 : recent(roll);
    const hasShipped = status === 'shipped' || status === 'delivered';
    return {
      order_number: 1001 + index,
      customer: pick(
        ['Acme Corp', 'Globex', 'Initech', 'Umbrella', 'Stark Industries', 'Wayne Enterprises'],
        roll,
      ),
      status,
      total_amount: 20 + roll(200_000) / 100,
      quantity: 1 + roll(12),
      discount_percent: roll(3) === 0 ? null : roll(4) * 5,
      country,
      city: pick(CITIES[country], roll),
      order_date: dayAgo(placed),
      shipped_at: hasShipped ? instantAgo(Math.max(0, placed - 2), roll) : null,
      is_gift: roll(4) === 0,
      payment_method: pick(['credit card', 'paypal', 'bank transfer'], roll),
      sales_rep: pick(['Alice Martin', 'Bob Jones', 'Chloé Dubois'], roll),
      tags: ['urgent', 'wholesale', 'fragile'].filter(() => roll(3) === 0),
      notes: roll(3) === 0 ? `Leave at the door ${index}` : null,
      ...((index < 5 || roll(3) === 0) && { coupon_code: pick(['SPRING', 'SUMMER', 'VIP10'], roll) }),
      ...((index < 5 || roll(2) === 0) && { weight_kg: 1 + roll(300) / 10 }),
    };
  },
);

const FIRST = ['Alice', 'Bruno', 'Carla', 'David', 'Emma', 'Farid', 'Grace', 'Hugo', 'Inès', 'Jonas'];
const LAST = ['Martin', 'Dubois', 'Rossi', 'Schmidt', 'Lopez', 'Nguyen'];

export const EMPLOYEES = fixture(
  'employees',
  {
    first_name: 'text',
    last_name: 'text',
    email: 'text',
    department: 'text',
    job_title: 'text',
    salary: 'double',
    birth_date: 'date',
    hire_date: 'date',
    manager: 'text',
    city: 'text',
    phone: 'text',
    isRemote: 'boolean',
    active: 'boolean',
    skills: 'array',
    years_experience: 'integer',
    contract_type: 'text',
    performance_score: 'double',
  },
  ['vacation_days', 'badge'],
  23,
  (index, roll) => {
    const [first, last] = [FIRST[index % 10]!, LAST[Math.floor(index / 10)]!];
    return {
      first_name: first,
      last_name: last,
      email: `${first}.${last}@example.com`.toLowerCase().replace('è', 'e'),
      department: pick(['Sales', 'Engineering', 'Marketing', 'Finance', 'Human Resources', 'IT'], roll),
      job_title: pick(['engineer', 'analyst', 'consultant', 'director', 'assistant'], roll),
      salary: 28_000 + roll(900) * 100 + index,
      birth_date: dayAgo(8_000 + roll(12_000)),
      hire_date: dayAgo(index === 3 ? 5 : index === 4 ? 20 : roll(4_000)),
      manager: roll(6) === 0 ? null : pick(['Emma Rossi', 'Hugo Schmidt', 'Grace Lopez'], roll),
      city: pick(['Paris', 'Lyon', 'Berlin', 'Madrid'], roll),
      phone: roll(4) === 0 ? null : `+33 6 ${10_000_000 + roll(89_999_999)}`,
      isRemote: roll(3) === 0,
      active: roll(5) !== 0,
      skills: ['Python', 'SQL', 'Excel', 'Java'].filter(() => roll(3) === 0),
      years_experience: roll(30),
      contract_type: pick(['permanent', 'fixed-term', 'internship', 'freelance'], roll),
      performance_score: roll(5) === 0 ? null : 1 + roll(40) / 10,
      ...((index < 5 || roll(2) === 0) && { vacation_days: 5 + roll(30) }),
      ...((index < 5 || roll(3) === 0) && { badge: pick(['red', 'blue', 'green'], roll) }),
    };
  },
);

export const INCIDENTS = fixture(
  'support_incidents',
  {
    reference: 'text',
    title: 'text',
    severity: 'text',
    status: 'text',
    priority: 'integer',
    assigned_to: 'text',
    reported_by: 'text',
    service: 'text',
    opened_at: 'datetime',
    resolved_at: 'datetime',
    resolution_hours: 'double',
    affected_users: 'integer',
    downtime_minutes: 'integer',
    cost_eur: 'double',
    sla_breached: 'boolean',
    root_cause: 'text',
    region: 'text',
    details: 'json',
  },
  ['customer_impact', 'postmortem_url'],
  37,
  (index, roll) => {
    const status = pick(['open', 'in progress', 'resolved', 'closed'], roll);
    const opened = recent(roll) + 1;
    const done = status === 'resolved' || status === 'closed';
    return {
      reference: `INC-${String(index + 1).padStart(4, '0')}`,
      title: `${pick(['Login fails', 'Slow page', 'Lost mail', 'Disk full', 'Payment error'], roll)} #${index}`,
      severity: pick(['critical', 'high', 'medium', 'low'], roll),
      status,
      priority: 1 + roll(4),
      assigned_to: roll(5) === 0 ? null : pick(['Dana', 'Eli', 'Fatou', 'Gus'], roll),
      reported_by: pick(['Dana', 'Helga', 'Ivan', 'Monitoring'], roll),
      service: pick(['payments', 'search', 'login', 'email gateway'], roll),
      opened_at: instantAgo(opened, roll),
      resolved_at: done ? instantAgo(Math.max(0, opened - 1), roll) : null,
      resolution_hours: done ? 1 + roll(400) / 10 : null,
      affected_users: roll(5_000),
      downtime_minutes: roll(4) === 0 ? 0 : roll(300),
      cost_eur: roll(100_000) / 10,
      sla_breached: roll(3) === 0,
      root_cause: roll(2) === 0 ? null : pick(['human error', 'hardware', 'bad deploy'], roll),
      region: pick(['EU', 'US', 'APAC'], roll),
      details: { shift: pick(['day', 'night'], roll) },
      ...((index < 5 || roll(2) === 0) && { customer_impact: roll(2) === 0 }),
      ...((index < 5 || roll(3) === 0) && { postmortem_url: `https://example.com/${index}` }),
    };
  },
);

export const CUSTOMERS = fixture(
  'customers',
  {
    companyName: 'text',
    contact_email: 'text',
    industry: 'text',
    plan: 'text',
    mrr: 'double',
    seats: 'integer',
    signup_date: 'date',
    churned_at: 'datetime',
    is_trial: 'boolean',
    country: 'text',
    city: 'text',
    account_manager: 'text',
    nps_score: 'integer',
  },
  [],
  5,
  (index, roll) => ({
    companyName: `Company ${index}`,
    contact_email: roll(4) === 0 ? null : `hello@company-${index}.example`,
    industry: pick(['Retail', 'Banking', 'Health Care', 'Manufacturing'], roll),
    plan: pick(['free', 'pro', 'enterprise'], roll),
    mrr: roll(5_000) / 2,
    seats: 1 + roll(200),
    signup_date: dayAgo(roll(900)),
    churned_at: roll(4) === 0 ? instantAgo(roll(100), roll) : null,
    is_trial: roll(3) === 0,
    country: pick(['France', 'USA', 'Japan', 'Brazil'], roll),
    city: pick(['Lille', 'Tokyo', 'New York', 'Recife'], roll),
    account_manager: pick(['Léa Petit', 'Tom Hill', null], roll),
    nps_score: roll(3) === 0 ? null : roll(11),
  }),
);
