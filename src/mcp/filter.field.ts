import { JsonField } from '../http/field.decorators.js';

/** A filter as an object, where REST takes it as text of the query. */
export function FilterField(): PropertyDecorator {
  return JsonField({ optional: true, description: 'MongoDB-style filter.', example: { age: { $gte: 18 } } });
}
