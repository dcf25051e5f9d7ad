import { TextField } from '../http/field.decorators.js';

export function RecordIdField(options: { optional?: boolean; description?: string } = {}): PropertyDecorator {
  return TextField({ max: 100, description: 'The `_id` of the record.', ...options });
}
