import { describe, expect, it } from 'vitest';
import { describedField, describedSchema } from './described-schema.js';

const columns = (description: string) => describedSchema(description).fields.map(({ name }) => name);
const uniques = (description: string) =>
  describedSchema(description)
    .fields.filter(({ unique }) => unique)
    .map(({ name }) => name);

describe('a description of data', () => {
  it.each([
    ['customers with name and email', 'customers', ['name', 'email']],
    ['I want to track my wine collection: vintage year, region', 'wine', ['vintage_year', 'region']],
    ['Patients\n- first name\n- blood type', 'patients', ['first_name', 'blood_type']],
    ['Company database. Fields: name; website', 'company', ['name', 'website']],
    ['A list of books. Title, author', 'books', ['title', 'author']],
    ['Un catalogue de produits avec nom et prix', 'produits', ['nom', 'prix']],
    ['name, email, phone', 'records', ['name', 'email', 'phone']],
    ['annual revenue in EUR', 'annual_revenue_eur', ['annual_revenue_eur']],
    ['tasks with title, title, due date', 'tasks', ['title', 'due_date']],
  ])('%j is a description of %s with %j', (description, name, fields) => {
    expect(describedSchema(description).name).toBe(name);
    expect(columns(description)).toEqual(fields);
  });

  it('that only names the subject gets the usual fields of that subject', () => {
    expect(columns('Books')).toEqual(['title', 'author', 'isbn', 'year', 'pages', 'genres']);
    expect(columns('something else entirely')).toEqual(['name', 'description']);
  });

  it('leads to a unique only if a column identifies the records', () => {
    expect(uniques('customers with name, email')).toEqual(['email']);
    expect(uniques('orders with order number, customer id, email')).toEqual(['order_number']);
    expect(uniques('books with isbn, publisher id')).toEqual(['isbn']);
    expect(uniques('visits with unique token, user id')).toEqual(['token']);
  });
});

describe('a phrase of a list of fields', () => {
  it.each([
    ['annual revenue in EUR', 'annual_revenue_eur', 'double'],
    ['weight (kg)', 'weight_kg', 'double'],
    ['revenue in million USD', 'revenue_million_usd', 'double'],
    ['humidity (%)', 'humidity_percent', 'double'],
    ['wind speed in km/h', 'wind_speed_kmh', 'double'],
    ['total in €', 'total_eur', 'double'],
    ['duration in minutes', 'duration_minutes', 'integer'],
    ['rating out of 100', 'rating', 'double'],
    ['price (decimal)', 'price', 'double'],
    ['priority: integer', 'priority', 'integer'],
    ['reimbursed as a boolean', 'reimbursed', 'boolean'],
    ['items (json)', 'items', 'json'],
    ['number of employees', 'number_of_employees', 'integer'],
    ['phone number', 'phone_number', 'text'],
    ['date of birth', 'date_of_birth', 'date'],
    ['signupDate', 'signup_date', 'date'],
    ['placed on', 'placed_on', 'date'],
    ['last contacted at', 'last_contacted_at', 'datetime'],
    ['is active', 'is_active', 'boolean'],
    ['whether they are active', 'is_active', 'boolean'],
    ['list of ingredients', 'list_of_ingredients', 'array'],
    ['their tags', 'tags', 'array'],
    ['We also want to store their phone number', 'phone_number', 'text'],
    ['store name', 'store_name', 'text'],
    ['prix en EUR', 'prix_eur', 'double'],
    ['quantité en stock', 'quantite_en_stock', 'integer'],
    ['date de création', 'date_de_creation', 'date'],
    ['3D model', '_3d_model', 'text'],
    ['x'.repeat(200), 'x'.repeat(63), 'text'],
  ])('%s is %s, %s', (phrase, name, type) => {
    expect(describedField(phrase)).toMatchObject({ name, type });
  });

  it.each([
    '',
    '???',
    '图书',
    'the',
    'created at',
    'so on',
    'etc.',
    '_id',
    'one two three four five six seven words',
  ])('"%s" names no column', phrase => {
    expect(describedField(phrase)).toBeUndefined();
  });

  it('is nullable unless it is required or unique, and unique if it states so', () => {
    expect(describedField('email')).toMatchObject({ nullable: true, unique: false });
    expect(describedField('required email')).toMatchObject({ name: 'email', nullable: false, unique: false });
    expect(describedField('sku (unique, required)')).toMatchObject({
      name: 'sku',
      nullable: false,
      unique: true,
    });
  });
});
