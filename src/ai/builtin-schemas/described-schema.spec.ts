import { describe, expect, it } from 'vitest';
import { describedSchema } from './described-schema.js';

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
  ])('%j is of %s with %j', (description, name, fields) => {
    expect(describedSchema(description).name).toBe(name);
    expect(columns(description)).toEqual(fields);
  });

  it('that names the thing alone gets what people usually keep of it', () => {
    expect(columns('Books')).toEqual(['title', 'author', 'isbn', 'year', 'pages', 'genres']);
    expect(columns('something else entirely')).toEqual(['name', 'description']);
  });

  it('has a unique only where a column tells the records apart', () => {
    expect(uniques('customers with name, email')).toEqual(['email']);
    expect(uniques('orders with order number, customer id, email')).toEqual(['order_number']);
    expect(uniques('books with isbn, publisher id')).toEqual(['isbn']);
    expect(uniques('visits with unique token, user id')).toEqual(['token']);
  });
});
