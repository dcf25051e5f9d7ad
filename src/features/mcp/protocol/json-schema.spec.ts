import 'reflect-metadata';
import { ApiProperty } from '@nestjs/swagger';
import { describe, expect, it } from 'vitest';
import {
  ChoiceField,
  IntegerField,
  JsonField,
  NestedField,
  TextField,
} from '../../../platform/http/field.decorators.js';
import { schemaOf } from './json-schema.js';

class Inner {
  @IntegerField({ min: 1, description: 'How many.' })
  count: number;
}

class Body {
  @TextField({ optional: true, nullable: true, max: 9, description: 'A note.', example: 'x' })
  note?: string | null;

  @NestedField(() => Inner, { description: 'One.' })
  inner: Inner;

  @NestedField(() => Inner, { list: true, min: 1, max: 3, optional: true, description: 'Many.' })
  inners?: Inner[];

  @ChoiceField(['a', 'b'], { optional: true, nullable: true, description: 'Which.' })
  choice?: string | null;

  @JsonField({
    optional: true,
    description: 'One or more.',
    schema: { oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] } as object,
  })
  either?: unknown;
}

class Extended extends Body {
  @TextField({ description: 'More.' })
  more: string;
}

class View {
  @ApiProperty() name: string;
  @ApiProperty({ type: [String] }) ids: string[];
  @ApiProperty({ type: [Inner] }) inners: Inner[];
  @ApiProperty({ selfRequired: false, type: 'object', additionalProperties: true }) more?: object;
  @ApiProperty({ type: 'object', additionalProperties: { $ref: '#/components/schemas/ColumnView' } })
  columns: object;
}

const INNER = {
  type: 'object',
  properties: { count: { type: 'integer', minimum: 1, description: 'How many.' } },
  required: ['count'],
};

describe('the schema of a class', () => {
  const { properties, required } = schemaOf(Body);

  it('states the rules of the decorators as JSON Schema', () => {
    expect(required).toEqual(['inner']);
    expect(properties.note).toEqual({
      type: ['string', 'null'],
      minLength: 1,
      maxLength: 9,
      description: 'A note.',
      examples: ['x'],
    });
    expect(properties.choice).toMatchObject({ type: ['string', 'null'], enum: ['a', 'b', null] });
    expect(properties.either).toEqual({
      oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
      description: 'One or more.',
    });
  });

  it('contains the schemas of nested classes', () => {
    expect(properties.inner).toEqual({ ...INNER, description: 'One.' });
    expect(properties.inners).toEqual({ type: 'array', items: INNER, description: 'Many.' });
  });

  it('lists required properties first, also inherited ones, and leaves out the given properties', () => {
    expect(Object.keys(schemaOf(Extended).properties)).toEqual([
      ...['inner', 'more', 'note', 'inners', 'choice', 'either'],
    ]);
    expect(schemaOf(Extended, ['inner'])).toMatchObject({ required: ['more'] });
    expect(schemaOf(Extended, ['inner']).properties).not.toHaveProperty('inner');
  });

  it('can be made from views too, and has no external references', () => {
    const view = schemaOf(View);
    expect(view.required).toEqual(['name', 'ids', 'inners', 'columns']);
    expect(view.properties).toMatchObject({
      name: { type: 'string' },
      ids: { type: 'array', items: { type: 'string' } },
      inners: { type: 'array', items: INNER },
      columns: { type: 'object', additionalProperties: { type: 'object' } },
    });
    expect(JSON.stringify(view)).not.toContain('$ref');
  });
});
