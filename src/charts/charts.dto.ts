import { ApiProperty } from '@nestjs/swagger';
import { JsonField } from '../http/field.decorators.js';
import { isJsonObject } from '../kernel/json.js';
import { MAX_RECORD_LEVELS } from '../kernel/limits.js';

const MAX_CHARTS = 50;

const CHARTS = {
  type: 'array' as const,
  items: { type: 'object' as const, additionalProperties: true },
  maxItems: MAX_CHARTS,
};
const EXAMPLE = [
  {
    title: 'Customers by country',
    type: 'bar',
    steps: [{ type: 'count', output_field: 'customers' }],
    group_by: 'country',
  },
];

export class SaveChartsBody {
  @JsonField({
    description:
      'All charts of the collection; they replace the charts before. Stored unchanged, including the order of keys.',
    example: EXAMPLE,
    schema: CHARTS,
    expects: `a list of at most ${MAX_CHARTS} objects of at most ${MAX_RECORD_LEVELS} levels, without NUL`,
    check: value =>
      Array.isArray(value) &&
      value.length <= MAX_CHARTS &&
      value.every(each => isJsonObject(each) && storable(each, MAX_RECORD_LEVELS)),
  })
  charts: object[];
}

export class ChartsView {
  @ApiProperty({ format: 'uuid' }) collection_id: string;
  @ApiProperty({ ...CHARTS, example: EXAMPLE }) charts: object[];
}

export class SavedChartsView extends ChartsView {
  @ApiProperty({ example: true }) saved: true;
}

/** False for a value that is too deep, or with text that PostgreSQL cannot store: NUL or a lone surrogate. */
function storable(value: unknown, levels: number): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0');
  if (typeof value !== 'object' || value === null) return true;
  return (
    levels > 0 &&
    Object.entries(value).every(([name, each]) => storable(name, levels) && storable(each, levels - 1))
  );
}
